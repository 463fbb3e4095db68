/** Which files a wheel may lay in the environment that the base has: pip lets it write over those of others. Pure: what was there before and after in, sentences out. */
import { posix } from 'node:path';

/** By path from the environment's root: `FOLDER`, `LINK` with where it leads, or what changes when somebody writes there. */
export type Entries = ReadonlyMap<string, string>;
export const FOLDER = 'folder';
export const LINK = 'link to ';

/** Why the environment is not taken as it is now, a clause each: what was there is another, stands behind something new, or something new runs unasked. */
export function strangeFiles(before: Entries, after: Entries): readonly string[] {
  const touched = [...before].flatMap(([path, was]) =>
    after.get(path) === was ? [] : `\`${path}\` of the base is another now`,
  );
  const known = new Map(
    [...before].flatMap(([path, was]) => importedAs(path, was).map((name) => [name, path] as const)),
  );
  const added = [...after].filter(([path]) => !before.has(path));
  return [...touched, ...added.flatMap(([path, is]) => strangeness(path, is, known) ?? [])];
}

/** https://docs.python.org/3/library/site.html */
const AT_EACH_START = /(?:^|\/)site-packages\/(?:[^/]+\.pth|(?:sitecustomize|usercustomize)(?:\.[^/]+)?)$/;

/** Whatever is asked for by an address pip also builds, by its own code: https://packaging.python.org/en/latest/specifications/direct-url/ */
const OF_AN_ADDRESS = /\.dist-info\/direct_url\.json$/i;

function strangeness(path: string, is: string, known: ReadonlyMap<string, string>): string | undefined {
  if (AT_EACH_START.test(path)) return `\`${path}\` would run whenever Python starts`;
  if (OF_AN_ADDRESS.test(path)) return `\`${path}\` tells of an address, from which pip takes more than wheels`;
  if (is.startsWith(LINK)) return `\`${path}\` is a link`;
  const hidden = importedAs(path, is)
    .map((name) => known.get(name))
    .find((one) => one !== undefined);
  return hidden === undefined ? undefined : `\`${path}\` would stand before \`${hidden}\` of the base`;
}

const IN_PACKAGES = /(?:^|\/)site-packages\//;
const METADATA = /^(.*?)(?:-.*)?\.(?:dist|egg)-info$/i;
const MODULE = /\.(?:py|pyc|so|pyd)$/;

/** Under which name Python finds it, if it looks there: a package comes before a module, and a compiled one before its source. */
function importedAs(path: string, is: string): readonly string[] {
  const [folder, name] = [posix.dirname(path), posix.basename(path)];
  if (!IN_PACKAGES.test(path) || name === '__pycache__') return [];
  const metadata = METADATA.exec(name)?.[1];
  if (metadata !== undefined) return [`${folder}/${metadata.toLowerCase().replaceAll(/[-_.]+/g, '-')}.info`];
  if (is !== FOLDER && !MODULE.test(name)) return [];
  const place = posix.basename(folder) === '__pycache__' ? posix.dirname(folder) : folder;
  const module = `${place}/${name.slice(0, `${name}.`.indexOf('.'))}`;
  return is === FOLDER ? [module, `${module}/__init__`] : [module];
}

/** What an installed package tells others of, without the plugins that pytest would load of itself: how tests run is the base's to say. */
export function withoutTestPlugins(entryPoints: string): string {
  let isPlugins = false;
  return entryPoints
    .split(/^/m)
    .filter((line) => {
      if (line.trim().startsWith('[')) isPlugins = line.includes('pytest11');
      return !isPlugins;
    })
    .join('');
}
