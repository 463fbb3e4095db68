/** What a lock file of npm changes of the packages that there were. Pure: texts in, clauses out. */
import { posix } from 'node:path';
import { BELOW, differingFields, entriesIn, type Locked } from '../workspace/npm-lock.ts';

/** By where npm installs them: links and what comes within others too, and no folder of the repository. */
type Places = ReadonlyMap<string, Locked>;

/**
 * What a lock file changes of the packages that there were, a clause each: one is another or gone, is installed under other conditions, or is given another to load. What is only
 * added, at the root or below what is added, they do not come to.
 */
export function alteredPackages(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [known, found] = [placesIn(before), placesIn(after)];
  if (known === undefined || found === undefined)
    return [
      `its packages cannot be told ${known === undefined ? 'before' : 'after'} the change: it is no lock file of npm 7 or later`,
    ];
  const altered = [...known].flatMap(([path, one]) => difference(path, one, found.get(path)));
  const added = [...found].filter(([path]) => !known.has(path));
  return [...altered, ...added.flatMap(([path, entry]) => givenBy(path, entry, { known, found }))];
}

/** The names by which the lock file's folder, and those below it, find what is newly there. */
export function addedNames(before: string, after: string): readonly string[] {
  const known = placesIn(before);
  return [...(placesIn(after) ?? [])].flatMap(([path]) =>
    known?.has(path) !== true && ownerOf(path) === '' ? nameAt(path) : [],
  );
}

function placesIn(lock: string): Places | undefined {
  const entries = entriesIn(lock);
  return entries && new Map(Object.entries(entries).filter(([path]) => `/${path}`.includes(BELOW)));
}

function difference(path: string, one: Locked, other: Locked | undefined): readonly string[] {
  const { name = nameAt(path), version = '' } = one;
  const what = `\`${name}\` ${version}`.trim();
  if (other === undefined) return [`${what} is gone`];
  const [was, is] = [`${name} ${version}`, `${other.name ?? nameAt(path)} ${other.version ?? ''}`];
  if (was !== is) return [`${what} becomes ${is}`];
  const fields = differingFields(one, other);
  return fields.length === 0 ? [] : [`${what} is entered otherwise (${fields.join(', ')}), by which npm installs it`];
}

interface Both {
  readonly known: Places;
  readonly found: Places;
}

const PLACE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@][^/]*$/;

function givenBy(path: string, entry: Locked, { known, found }: Both): readonly string[] {
  if (posix.normalize(path) !== path || !PLACE.test(path)) return [`\`${path}\` is no place where npm installs`];
  const [owner, name] = [ownerOf(path), nameAt(path)];
  const what = `${entry.name ?? name} ${entry.version ?? ''}`.trim();
  if (owner !== '' && (known.has(owner) || !found.has(owner))) return [`\`${owner}\` is given ${what}`];
  // One that does without, and loads it where it is there.
  const other = [...known].find(([at, one]) => isAskedBy(one, name) && owner === '' && !isFound(name, at, known));
  return other === undefined ? [] : [`\`${other[0]}\` is given ${what}`];
}

function isAskedBy(entry: Locked, name: string): boolean {
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].some((kind) => {
    const asked = entry[kind];
    return typeof asked === 'object' && asked !== null && Object.hasOwn(asked, name);
  });
}

function isFound(name: string, from: string, places: Places): boolean {
  if (places.has(posix.join(from, 'node_modules', name))) return true;
  return from !== '' && isFound(name, ownerOf(from), places);
}

function ownerOf(path: string): string {
  return path.slice(0, Math.max(0, `/${path}`.lastIndexOf(BELOW) - 1));
}

function nameAt(path: string): string {
  return `/${path}`.slice(`/${path}`.lastIndexOf(BELOW) + BELOW.length);
}
