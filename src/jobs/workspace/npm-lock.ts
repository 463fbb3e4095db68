/** What npm's lock file says of packages, and where they may come from. Pure: texts in, sentences out. */
import { posix } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../report/json.ts';

export const NPM_LOCK = 'package-lock.json';

const locked = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  /** Where it is installed under another name than its own. */
  name: z.string().optional(),
  /** A folder of the repository itself. */
  link: z.boolean().optional(),
});
/** https://docs.npmjs.com/cli/configuring-npm/package-lock-json, versions 2 and 3. */
const npmLock = z.looseObject({ packages: z.record(z.string(), locked) });
type Locked = z.infer<typeof locked>;

/** One that the repository does not hold itself. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly resolved: string;
  readonly integrity: string;
}

/** By where npm installs them; undefined where the text is no lock file that tells it. */
function packagesIn(lock: string): ReadonlyMap<string, Package> | undefined {
  const parsed = npmLock.safeParse(parseJson(lock));
  if (!parsed.success) return undefined;
  const found = Object.entries(parsed.data.packages).filter(([path, entry]) => isForeign(path, entry));
  return new Map(found.map(([path, entry]) => [path, packageOf(path, entry)]));
}

function isForeign(path: string, { link }: Locked): boolean {
  return link !== true && `/${path}`.includes('/node_modules/');
}

function packageOf(path: string, { name, version = '', resolved = '', integrity = '' }: Locked): Package {
  return { name: name ?? path.slice(path.lastIndexOf('node_modules/') + 13), version, resolved, integrity };
}

/** `name@version` of what the one lock file has and the other has not. */
export function addedPackages(before: string, after: string): readonly string[] {
  return [...new Set(newIn(before, after).map(({ name, version }) => `${name}@${version}`))].toSorted();
}

/** Why a lock file cannot be followed, a clause each: it is none, or something new in it is not kept where registries keep a package of that name. */
export function strangePackages(before: string, after: string): readonly string[] {
  if (packagesIn(after) === undefined) return ['it is no lock file of npm 7 or later'];
  return newIn(before, after).flatMap(({ name, version, resolved, integrity }) => {
    const what = `\`${name}\` ${version}`;
    const file = `/${name}/-/${posix.basename(name)}-${version}.tgz`;
    const isKept = URL.canParse(resolved) && decodeURIComponent(new URL(resolved).pathname).endsWith(file);
    if (!isKept)
      return `${what} is to come from ${JSON.stringify(resolved)}, which is not where a registry keeps it (…${file})`;
    return /^sha(?:256|384|512)-/.test(integrity) ? [] : `${what} has no digest by SHA-2 that says what it is`;
  });
}

function newIn(before: string, after: string): readonly Package[] {
  const known = new Set([...(packagesIn(before) ?? new Map<string, Package>()).values()].map(textOf));
  return [...(packagesIn(after)?.values() ?? [])].filter((one) => !known.has(textOf(one)));
}

function textOf({ name, version, resolved, integrity }: Package): string {
  return [name, version, resolved, integrity].join(' ');
}

/** Whether both have the same packages at the same places, by version and digest. */
export function isSameLock(one: string, other: string): boolean {
  const [left, right] = [packagesIn(one), packagesIn(other)].map(
    (packages) =>
      packages &&
      [...packages].map(([path, { version, integrity }]) => [path, version, integrity].join(' ')).toSorted(),
  );
  return left !== undefined && right !== undefined && left.join('\n') === right.join('\n');
}

/** Where npm looks when nobody says otherwise. */
const REGISTRY = 'https://registry.npmjs.org/';
const NAMED_REGISTRY = /^\s*(?:@[^\s:=]+:)?registry\s*=\s*["']?(https?:[^\s"']+)/gm;

/** Addresses that lead to all the hosts from which the base's lock files and settings of npm have packages. */
export function registriesOf(locks: readonly string[], settings: readonly string[]): readonly string[] {
  const named = settings.flatMap((text) => [...text.matchAll(NAMED_REGISTRY)].flatMap(([, address]) => address ?? []));
  const used = locks.flatMap((lock) => [...(packagesIn(lock)?.values() ?? [])].map(({ resolved }) => resolved));
  return [...new Set([REGISTRY, ...named, ...used])].filter((address) => /^https?:/.test(address));
}
