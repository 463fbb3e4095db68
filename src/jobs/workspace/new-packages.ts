/**
 * Packages that a candidate adds. The set-up action has fetched those of the base; what a changed lock file of npm names besides is fetched here, in the
 * sandbox, without running anything of it (no install scripts), from the registries of the base and from nowhere else.
 */
import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import { writeInside } from '../../sandbox/inside.ts';
import { exists } from '../../sandbox/programs.ts';
import { treeOf } from '../../trees/repository.ts';
import { type Installable, JobError } from './environment.ts';
import { type Fetched, fetched, type Wanted } from './npm-install.ts';
import {
  addedPackages,
  forOthers,
  hasSamePackages,
  isInstalled,
  isSameLock,
  NPM_LOCK,
  registriesOf,
  strangePackages,
} from './npm-lock.ts';
import { strangeSpecs } from './npm-manifest.ts';
import { pathsIn, type Texts, textsAt } from './texts.ts';

/** What npm is asked for: its lock files are those that are not the base's. */
interface Asked extends Wanted {
  readonly base: { readonly manifests: Texts; readonly locks: Texts };
}

/**
 * The folder with what the tree's lock files name, where they are not those of the base; undefined where the set-up action's own holds it.
 * @throws {JobError} where it cannot be had, or the lock file is none that may be followed; a {@link SetupError} where no registry answers.
 */
export async function newPackages(bench: Installable, tree: string): Promise<string | undefined> {
  const asked = await askedIn(bench, tree);
  if (asked.locks.size === 0) return undefined;
  if ([...asked.locks].every(([path, text]) => isSameLock(asked.base.locks.get(path) ?? '', text))) {
    assertKnown(asked, asked.locks);
    return undefined;
  }
  const key = keyOf(asked);
  const folder = bench.packages.get(key) ?? following(bench, asked);
  bench.packages.set(key, folder);
  return folder;
}

/** Follows the lock files to the letter. */
async function following(bench: Installable, asked: Asked): Promise<string> {
  assertPlain(asked);
  assertKnown(asked, asked.locks);
  for (const [path, text] of asked.locks)
    bench.environment.log(
      `${path} adds ${addedPackages(asked.base.locks.get(path) ?? '', text).join(', ') || 'no package'}`,
    );
  const { folder, locks } = await fetched(bench, asked);
  await assertForOthers(asked, { folder, locks: asked.locks });
  for (const [path, text] of asked.locks)
    if (!hasSamePackages(text, locks.get(path) ?? ''))
      throw new JobError(`\`${path}\` does not fit the package.json beside it: npm would write it otherwise.`);
  return folder;
}

/**
 * Has npm write the lock files at these paths anew for what the manifests name, and keeps the packages for {@link newPackages}; gives what was added.
 * @throws {JobError} as that does.
 */
export async function lockPackages(
  bench: Installable,
  tree: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const before = await textsAt(tree, paths);
  const asked = await askedIn(bench, tree);
  const locks = new Map([...asked.locks, ...paths.map((path) => [path, before.get(path) ?? ''] as const)]);
  assertPlain({ ...asked, locks });
  const made = await fetched(bench, { ...asked, locks });
  assertKnown(asked, made.locks);
  await assertForOthers(asked, made);
  for (const [path, text] of made.locks) {
    const refusal = await writeInside(tree, path, text);
    if (refusal !== undefined) throw new JobError(`\`${path}\` cannot be written: ${refusal}`);
  }
  bench.packages.set(keyOf(await askedIn(bench, tree)), Promise.resolve(made.folder));
  return [...made.locks].flatMap(([path, text]) => addedPackages(before.get(path) ?? '', text));
}

/** npm is asked for what registries keep, and in folders that it takes for a project. */
function assertPlain({ manifests, locks, base }: Asked): void {
  for (const [path, text] of manifests) refuse(path, strangeSpecs(base.manifests.get(path) ?? '', text));
  for (const path of locks.keys())
    if (!manifests.has(posix.join(posix.dirname(path), 'package.json')))
      refuse(path, ['there is no package.json beside it']);
}

function assertKnown({ base, registries }: Asked, locks: Texts): void {
  for (const [path, text] of locks)
    refuse(path, strangePackages({ lock: base.locks.get(path) ?? '', registries }, text));
}

/** What has no digest because it is for other machines is not installed on this one. */
async function assertForOthers({ base }: Asked, { folder, locks }: Fetched): Promise<void> {
  for (const [path, text] of locks)
    for (const place of forOthers(base.locks.get(path) ?? '', text))
      if (await exists(join(folder, posix.dirname(path), place)))
        refuse(path, [`\`${place}\` has no digest that says what it is, and this machine installs it`]);
}

/** How much of a long list people read. */
const MOST_SHOWN = 5;

function refuse(path: string, clauses: readonly string[]): void {
  if (clauses.length > 0)
    throw new JobError(`\`${path}\` is not followed: ${clauses.slice(0, MOST_SHOWN).join('; ')}.`);
}

async function askedIn({ repository, brief }: Installable, tree: string): Promise<Asked> {
  const files = (await treeOf(repository, brief.base)).filter(({ mode }) => mode.startsWith('100'));
  const baseTexts = async (name: string): Promise<Texts> => {
    const paths = files.flatMap(({ path }) => (posix.basename(path) === name ? [path] : []));
    const text = async (path: string) => String(await repository.git(['show', `${brief.base}:${path}`]));
    return new Map(await Promise.all(paths.map(async (path) => [path, await text(path)] as const)));
  };
  const base = { manifests: await baseTexts('package.json'), locks: await baseTexts(NPM_LOCK) };
  const settings = await baseTexts('.npmrc');
  const locks = await textsAt(tree, await pathsIn(tree, NPM_LOCK));
  return {
    base,
    settings,
    manifests: await textsAt(tree, await pathsIn(tree, 'package.json')),
    locks: new Map([...locks].filter(([path, text]) => base.locks.get(path) !== text && isInstalled(path))),
    registries: registriesOf([...base.locks.values()], [...settings.values()]),
  };
}

function keyOf({ manifests, locks }: Asked): string {
  return createHash('sha256')
    .update(JSON.stringify([...manifests, ...locks]))
    .digest('hex');
}
