/** Which files a wheel may lay in the environment that the base has: pip lets it write over those of others. Pure: what was there before and after in, sentences out. */
import { posix } from 'node:path';

/** By path from the environment's root: `FOLDER`, `LINK` with where it leads, or what changes when somebody writes there. */
export type Entries = ReadonlyMap<string, string>;
export const FOLDER = 'folder';
export const LINK = 'link to ';

/** What of a wheel would be found in the place of, that is in no environment. */
export interface Elsewhere {
  /** Modules that Python's own ask for and this machine does not have: they go on without. */
  readonly absent: ReadonlySet<string>;
  /** Folders of code in the repository that Python takes for a package only where it finds no other: {@link openFolders}. */
  readonly folders: ReadonlySet<string>;
}

const NOWHERE: Elsewhere = { absent: new Set(), folders: new Set() };

/**
 * Why the environment is not taken as it is now, a clause each: what was there is another, is given more, stands behind something new, as may what is found elsewhere, or something
 * new runs unasked.
 */
export function strangeFiles(before: Entries, after: Entries, elsewhere = NOWHERE): readonly string[] {
  const touched = [...before].flatMap(([path, was]) =>
    after.get(path) === was ? [] : `\`${path}\` of the base is another now`,
  );
  const known = new Map(
    [...before].flatMap(([path, was]) => importedAs(path, was).map((name) => [name, path] as const)),
  );
  const packages = new Set([...before.keys()].flatMap(packageAt));
  const added = [...after].filter(([path]) => !before.has(path));
  return [
    ...touched,
    ...added.flatMap(([path, is]) => {
      const clause = ownStrangeness(path, is) ?? displacement(path, is, { ...elsewhere, known, packages });
      return clause === undefined ? [] : `\`${path}\` ${clause}`;
    }),
  ];
}

/** https://docs.python.org/3/library/site.html; beside its program Python looks for where its own modules are: https://docs.python.org/3/library/sys_path_init.html */
const AT_EACH_START =
  /(?:^|\/)site-packages\/(?:[^/]+\.pth|(?:sitecustomize|usercustomize)(?:\.[^/]+)?)$|^bin\/(?:pyvenv\.cfg|pybuilddir\.txt|[^/]+\._pth)$/;

/** Whatever is asked for by an address pip also builds, by its own code: https://packaging.python.org/en/latest/specifications/direct-url/ */
const OF_AN_ADDRESS = /\.dist-info\/direct_url\.json$/i;

function ownStrangeness(path: string, is: string): string | undefined {
  if (AT_EACH_START.test(path)) return 'would run whenever Python starts';
  if (OF_AN_ADDRESS.test(path)) return 'tells of an address, from which pip takes more than wheels';
  return is.startsWith(LINK) ? 'is a link' : undefined;
}

interface Known extends Elsewhere {
  /** Paths of the base by what they are imported as. */
  readonly known: ReadonlyMap<string, string>;
  /** Folders of the base that are one package's alone. */
  readonly packages: ReadonlySet<string>;
}

function displacement(path: string, is: string, { known, packages, absent, folders }: Known): string | undefined {
  const hidden = importedAs(path, is)
    .map((name) => known.get(name))
    .find((one) => one !== undefined);
  if (hidden !== undefined) return `would stand before \`${hidden}\` of the base`;
  const owner = foldersAbove(path).find((folder) => packages.has(folder));
  if (owner !== undefined) return `would be of \`${owner}\` of the base`;
  const [name = '', isWhole] = topOf(path, is);
  if (absent.has(name)) return `would be \`${name}\`, for which Python itself looks and finds none on this machine`;
  return isWhole && folders.has(name) ? `would stand before the folder \`${name}\` of the repository` : undefined;
}

/** The folder that a file makes a package, of modules or of what one tells others: what is added there the package finds, and others take for its own. */
function packageAt(path: string): readonly string[] {
  const folder = posix.dirname(path);
  const isPackage = /^__init__\.[^/]+$/.test(posix.basename(path)) || METADATA.test(posix.basename(folder));
  return isPackage && IN_PACKAGES.test(path) ? [folder] : [];
}

function foldersAbove(path: string): readonly string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/** The name at the top by which Python comes to it, and whether that is a module or a package then, which stands before any folder that is neither. */
function topOf(path: string, is: string): readonly [name?: string, isWhole?: boolean] {
  const [, name, rest = ''] = /(?:^|\/)site-packages\/([^/.]+)(.*)$/.exec(path) ?? [];
  return name === undefined ? [] : [name, is !== FOLDER && MODULE.test(path) && /^(?:\/__init__)?\.[^/]+$/.test(rest)];
}

/** Names of folders that hold code of Python, and no `__init__` that would make them a package whatever else has the name. */
export function openFolders(paths: readonly string[]): ReadonlySet<string> {
  const code = paths.filter((path) => MODULE.test(path));
  const closed = new Set(
    code.filter((path) => /^__init__\./.test(posix.basename(path))).map((path) => posix.dirname(path)),
  );
  const open = code.flatMap(foldersAbove).filter((folder) => !closed.has(folder));
  return new Set(open.map((folder) => posix.basename(folder)));
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

/** Wherever Python ends a line of what a package tells, and after any other control character: https://docs.python.org/3/library/stdtypes.html#str.splitlines */
const AFTER_LINE = /(?<=[^\P{Cc}\t]|[\u2028\u2029])/u;
const HEADER = /^[\s\p{Cc}]*\[/u;
/** Of pytest itself, of plugins of it that load more, and of what tests import: https://hypothesis.readthedocs.io/en/latest/extensions.html */
const OF_TESTS = /pytest|hypothesis/;

/** What an installed package tells others of, without the plugins that runs of tests would load of themselves: how tests run is the base's to say. */
export function withoutTestPlugins(entryPoints: string): string {
  let isPlugins = false;
  return entryPoints
    .split(AFTER_LINE)
    .filter((line) => {
      if (HEADER.test(line)) isPlugins = OF_TESTS.test(line);
      return !isPlugins;
    })
    .join('');
}
