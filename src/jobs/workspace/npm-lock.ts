/** What npm's lock file says of packages, and where they may come from. Pure: texts in, sentences out. */
import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../report/json.ts';

export const NPM_LOCK = 'package-lock.json';

/** What is the material of tests nobody installs. */
const MATERIAL = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata)\//;

export function isMaterial(path: string): boolean {
  return MATERIAL.test(path);
}

/** Whether npm installs by the file at this path. */
export function isInstalled(path: string): boolean {
  return posix.basename(path) === NPM_LOCK && !isMaterial(path);
}

const locked = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  /** Where it is installed under another name than its own. */
  name: z.string().optional(),
  /** A folder of the repository itself. */
  link: z.boolean().optional(),
  /** It comes within the package that it lies below. */
  inBundle: z.boolean().optional(),
  optional: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
});
/** https://docs.npmjs.com/cli/configuring-npm/package-lock-json, versions 2 and 3. */
const npmLock = z.looseObject({ packages: z.record(z.string(), locked) });
export type Locked = z.infer<typeof locked>;

/** All that a lock file enters, by place; undefined where the text is none that tells it. */
export function entriesIn(lock: string): Readonly<Record<string, Locked>> | undefined {
  return npmLock.safeParse(parseJson(lock)).data?.packages;
}

/** One that the repository does not hold itself. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly resolved: string;
  readonly integrity: string;
  /** What it is said to be for, if not for all. */
  readonly machines: string;
  /** It is for some machines only, and npm, which has not installed it on its own, leaves out what it is: https://github.com/npm/cli/issues/4828 */
  readonly isForOthers: boolean;
}

/** By where npm installs them; undefined where the text is no lock file that tells it. */
function packagesIn(lock: string): ReadonlyMap<string, Package> | undefined {
  const packages = entriesIn(lock);
  if (packages === undefined) return undefined;
  const found = Object.entries(packages).filter(([path, entry]) => isFetched(path, entry, packages));
  return new Map(found.map(([path, entry]) => [path, packageOf(path, entry)]));
}

export const BELOW = '/node_modules/';

function isFetched(
  path: string,
  { link, inBundle, resolved }: Locked,
  packages: Readonly<Record<string, Locked>>,
): boolean {
  const at = `/${path}`.lastIndexOf(BELOW);
  if (link === true || at < 0) return false;
  const parent = packages[path.slice(0, Math.max(0, at - 1))];
  // What has an address of its own is judged by it, whatever it is called.
  return !(inBundle === true && resolved === undefined && at > 0 && parent !== undefined);
}

function packageOf(path: string, entry: Locked): Package {
  const { name, version = '', resolved = '', integrity = '', optional, os, cpu, libc } = entry;
  const isForSome = optional === true && (os ?? cpu ?? libc) !== undefined;
  return {
    name: name ?? `/${path}`.slice(`/${path}`.lastIndexOf(BELOW) + BELOW.length),
    ...{ version, resolved, integrity },
    machines: JSON.stringify([os, cpu]),
    isForOthers: isForSome && resolved === '' && integrity === '',
  };
}

/** Where npm would put what is new and said to be for other machines. */
export function forOthers(before: string, after: string): readonly string[] {
  const known = packagesIn(before);
  const found = [...(packagesIn(after) ?? [])];
  return found.flatMap(([path, { isForOthers }]) =>
    isForOthers && known?.get(path)?.isForOthers !== true ? path : [],
  );
}

/** `name@version` of what the one lock file has and the other has not. */
export function addedPackages(before: string, after: string): readonly string[] {
  return [...new Set(newIn(before, after).map(({ name, version }) => `${name}@${version}`))].toSorted();
}

/** A lock file as it is on the base, and the addresses of the registries that the base knows. */
export interface Known {
  readonly lock: string;
  readonly registries: readonly string[];
}

/**
 * Why a lock file cannot be followed, a clause each: it is none, something new in it is not kept where a known registry keeps a package of that name, or something known is said to
 * be for other machines, which only the package itself can say.
 */
export function strangePackages({ lock, registries }: Known, after: string): readonly string[] {
  const found = packagesIn(after);
  if (found === undefined) return ['it is no lock file of npm 7 or later'];
  const known = new Map([...(packagesIn(lock)?.values() ?? [])].map((one) => [textOf(one), one.machines]));
  const moved = [...found.values()].filter((one) => (known.get(textOf(one)) ?? one.machines) !== one.machines);
  return [
    ...moved.map(({ name, version }) => `\`${name}\` ${version} is said to be for other machines than on the base`),
    ...strangers({ lock, registries }, after),
  ];
}

function strangers({ lock, registries }: Known, after: string): readonly string[] {
  return newIn(lock, after).flatMap((one) => {
    const what = `\`${one.name}\` ${one.version}`;
    // npm asks its registry where the lock file leaves the address out.
    const from = one.resolved === '' ? 'its registry' : registryOf(one);
    if (from === undefined)
      return `${what} is to come from ${JSON.stringify(one.resolved)}, which is not where a registry keeps it`;
    if (one.resolved !== '' && !registries.includes(from))
      return `${what} is to come from ${from}, and the base knows ${registries.join(', ')}; where another registry is meant, a person names it in .npmrc on the base branch`;
    return one.isForOthers || isDigest(one.integrity) ? [] : `${what} has no digest by SHA-2 that says what it is`;
  });
}

/** The registry that keeps a package's file where registries do; undefined where none would. */
function registryOf({ name, version, resolved }: Package): string | undefined {
  if (!URL.canParse(resolved)) return undefined;
  const { protocol, username, password, origin, pathname, search } = new URL(resolved);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '' && search === '';
  const path = pathname.replaceAll(/%40/gi, '@').replaceAll(/%2f/gi, '/');
  // Some registries name the scope twice.
  const files = [posix.basename(name), name].map((file) => `/${name}/-/${file}-${version}.tgz`);
  const file = files.find((one) => path.endsWith(one));
  return isPlain && file !== undefined ? withSlash(origin + path.slice(0, -file.length)) : undefined;
}

function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}

/** What stands for a digest in base64, of exactly its length: https://www.w3.org/TR/SRI/ */
const DIGEST = /^(?:sha256-[A-Za-z0-9+/]{43}=|sha384-[A-Za-z0-9+/]{64}|sha512-[A-Za-z0-9+/]{86}==)$/;

function isDigest(integrity: string): boolean {
  return integrity.split(' ').every((one) => DIGEST.test(one));
}

function newIn(before: string, after: string): readonly Package[] {
  const known = new Set([...(packagesIn(before)?.values() ?? [])].map(textOf));
  return [...(packagesIn(after)?.values() ?? [])].filter((one) => !known.has(textOf(one)));
}

function textOf({ name, version, resolved, integrity }: Package): string {
  return [name, version, resolved, integrity].join(' ');
}

/** What an entry says that decides neither whether npm installs a package nor what it lays: who needs it, and what is only told. */
const ONLY_TOLD = new Set([
  ...['dev', 'devOptional', 'peer', 'extraneous', 'engines', 'license', 'funding', 'deprecated', 'hasInstallScript'],
]);

/** The fields of two entries that differ and decide what npm installs, in whichever order anything is written. */
export function differingFields(one: Locked, other: Locked): readonly string[] {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields]
    .filter((field) => !ONLY_TOLD.has(field) && !isDeepStrictEqual(one[field], other[field]))
    .toSorted();
}

/** Whether both have the same packages at the same places, by version and digest, and install them under the same conditions. */
export function isSameLock(one: string, other: string): boolean {
  const [left = {}, right = {}] = [entriesIn(one), entriesIn(other)];
  // Whose address is another is judged by it.
  const isSame = ([path, entry]: [string, Locked]) =>
    !`/${path}`.includes(BELOW) || differingFields(entry, right[path] ?? {}).every((field) => field === 'resolved');
  return hasSamePackages(one, other) && Object.entries(left).every(isSame);
}

/** Whether both have the same packages at the same places, by version and digest. */
export function hasSamePackages(one: string, other: string): boolean {
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

/** The registries that the base's lock files and settings of npm have packages from, each ending in a slash. */
export function registriesOf(locks: readonly string[], settings: readonly string[]): readonly string[] {
  const named = settings.flatMap((text) => [...text.matchAll(NAMED_REGISTRY)].flatMap(([, address]) => address ?? []));
  const used = locks.flatMap((lock) => [...(packagesIn(lock)?.values() ?? [])].flatMap((one) => registryOf(one) ?? []));
  return [...new Set([REGISTRY, ...named.filter((address) => URL.canParse(address)).map(withSlash), ...used])];
}
