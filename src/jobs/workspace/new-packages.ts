/**
 * Packages that a candidate adds. The set-up action has fetched those of the base; what a changed lock file of npm names besides is fetched here, in the
 * sandbox, without running anything of it (no install scripts), from the registries of the base and from nowhere else.
 */
import { createHash } from 'node:crypto';
import { glob } from 'node:fs/promises';
import { writeInside } from '../../sandbox/inside.ts';
import { treeOf } from '../../trees/repository.ts';
import { type Bench, JobError } from './environment.ts';
import { fetched, type Texts, textsAt, type Wanted } from './npm-install.ts';
import { addedPackages, isSameLock, NPM_LOCK, strangePackages } from './npm-lock.ts';

/**
 * The folder with what the tree's lock files name, where they are not those of the base; undefined where the set-up action's own holds it.
 * @throws {JobError} where it cannot be had, or the lock file is none that may be followed; a {@link SetupError} where no registry answers.
 */
export async function newPackages(bench: Bench, tree: string): Promise<string | undefined> {
  const wanted = await wantedIn(bench, tree);
  if (wanted.locks.size === 0) return undefined;
  const key = keyOf(wanted);
  const folder = bench.packages.get(key) ?? following(bench, wanted);
  bench.packages.set(key, folder);
  return folder;
}

/** Follows the lock files to the letter. */
async function following(bench: Bench, wanted: Wanted): Promise<string> {
  for (const [path, text] of wanted.locks) {
    const before = wanted.base.locks.get(path) ?? '';
    const strange = strangePackages(before, text);
    if (strange.length > 0) throw new JobError(`\`${path}\` is not followed: ${strange.slice(0, 5).join('; ')}.`);
    bench.environment.log(`${path} adds ${addedPackages(before, text).join(', ') || 'no package'}`);
  }
  const { folder, locks } = await fetched(bench, wanted);
  for (const [path, text] of wanted.locks)
    if (!isSameLock(text, locks.get(path) ?? ''))
      throw new JobError(`\`${path}\` does not fit the package.json beside it: npm would write it otherwise.`);
  return folder;
}

/** Has npm write the lock files at these paths anew for what the manifests name, and keeps the packages for {@link newPackages}; gives what was added. */
export async function lockPackages(bench: Bench, tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const before = await textsAt(tree, paths);
  const { manifests, base } = await wantedIn(bench, tree);
  const asked = new Map(paths.map((path) => [path, before.get(path) ?? '']));
  const { folder, locks } = await fetched(bench, { manifests, base, locks: asked });
  for (const [path, text] of locks) {
    const refusal = await writeInside(tree, path, text);
    if (refusal !== undefined) throw new JobError(`\`${path}\` cannot be written: ${refusal}`);
  }
  bench.packages.set(keyOf(await wantedIn(bench, tree)), Promise.resolve(folder));
  return [...locks].flatMap(([path, text]) => addedPackages(before.get(path) ?? '', text));
}

async function wantedIn({ repository, brief }: Bench, tree: string): Promise<Wanted> {
  const files = (await treeOf(repository, brief.base)).filter(({ mode }) => mode.startsWith('100'));
  const baseTexts = async (name: string): Promise<Texts> => {
    const paths = files.flatMap(({ path }) => (path === name || path.endsWith(`/${name}`) ? [path] : []));
    const text = async (path: string) => String(await repository.git(['show', `${brief.base}:${path}`]));
    return new Map(await Promise.all(paths.map(async (path) => [path, await text(path)] as const)));
  };
  const base = { locks: await baseTexts(NPM_LOCK), settings: await baseTexts('.npmrc') };
  const locks = await textsAt(tree, await pathsIn(tree, NPM_LOCK));
  return {
    manifests: await textsAt(tree, await pathsIn(tree, 'package.json')),
    locks: new Map([...locks].filter(([path, text]) => base.locks.get(path) !== text)),
    base,
  };
}

function keyOf({ manifests, locks }: Wanted): string {
  return createHash('sha256')
    .update(JSON.stringify([...manifests, ...locks]))
    .digest('hex');
}

async function pathsIn(tree: string, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of glob(`**/${name}`, { cwd: tree, exclude: ['**/node_modules', '.git'] })) found.push(path);
  return found.toSorted();
}
