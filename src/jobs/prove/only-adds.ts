/** Whether a pull request leaves what its base has of packages as it is: all trees of a proof have those of its head. */
import { posix } from 'node:path';
import { type Repository, treeOf } from '../../trees/repository.ts';
import { JobError } from '../workspace/environment.ts';
import { isInstalled, isMaterial, NPM_LOCK } from '../workspace/npm-lock.ts';
import { asksForPackages } from '../workspace/npm-manifest.ts';
import { addedNames, alteredPackages } from './altered-packages.ts';

interface Side {
  readonly paths: readonly string[];
  /** Those by which npm installs. */
  readonly locks: readonly string[];
  text(path: string): Promise<string>;
}

/** A test would fail or pass by another package, and nobody could tell it from the change. @throws {JobError} that says what to do. */
export async function assertOnlyAdds(
  repository: Repository,
  range: { readonly base: string; readonly head: string },
): Promise<void> {
  const [base, head] = [await sideOf(repository, range.base), await sideOf(repository, range.head)];
  const hasPackages = await bringsPackages(base);
  if (hasPackages) await assertSameShrinkwraps(base, head);
  for (const path of base.locks)
    if (!head.locks.includes(path)) refuse(path, 'is gone, by which packages that the base has are installed,');
  for (const path of head.locks) {
    if (base.locks.includes(path)) await assertAdds(path, base, head);
    else if (hasPackages) refuse(path, 'is new, and can bring other packages than those that the base has,');
  }
}

async function sideOf(repository: Repository, commit: string): Promise<Side> {
  const files = (await treeOf(repository, commit)).filter(({ mode }) => mode.startsWith('100'));
  const paths = files.map(({ path }) => path).filter((path) => !isMaterial(path));
  return {
    paths,
    locks: paths.filter(isInstalled),
    text: async (path) => String(await repository.git(['show', `${commit}:${path}`])),
  };
}

const MANIFEST = 'package.json';
/** By which npm installs in the place of the lock file. */
const SHRINKWRAP = 'npm-shrinkwrap.json';
const OTHER_LOCKS = [SHRINKWRAP, 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'];
const LOCKS: ReadonlySet<string> = new Set([NPM_LOCK, ...OTHER_LOCKS]);

/** Whether anything of a commit has packages of npm installed, or it holds some itself. */
async function bringsPackages({ paths, text }: Side): Promise<boolean> {
  if (paths.some((path) => LOCKS.has(posix.basename(path)) || isPackaged(path))) return true;
  const manifests = paths.filter((path) => posix.basename(path) === MANIFEST);
  return (await Promise.all(manifests.map(text))).some(asksForPackages);
}

function isPackaged(path: string): boolean {
  return `/${path}`.includes('/node_modules/');
}

async function assertSameShrinkwraps(base: Side, head: Side): Promise<void> {
  for (const path of new Set([...base.paths, ...head.paths])) {
    if (posix.basename(path) !== SHRINKWRAP || isPackaged(path)) continue;
    const [before, after] = await Promise.all([base, head].map((side) => side.paths.includes(path) && side.text(path)));
    if (before !== after) refuse(path, 'changes, by which npm installs in the place of `package-lock.json`,');
  }
}

const MOST_SHOWN = 5;

async function assertAdds(path: string, base: Side, head: Side): Promise<void> {
  const [before, after] = [await base.text(path), await head.text(path)];
  const altered = alteredPackages(before, after);
  if (altered.length > 0)
    refuse(
      path,
      `changes packages that the base has (${altered.slice(0, MOST_SHOWN).join('; ')}${altered.length > MOST_SHOWN ? `, and ${altered.length - MOST_SHOWN} more` : ''}),`,
    );
  const folder = posix.dirname(path);
  const hidden = folder === '.' ? undefined : await hiddenAbove(folder, addedNames(before, after), base);
  if (hidden !== undefined) refuse(path, `adds \`${hidden}\` below a folder whose \`${hidden}\` the base may have,`);
}

/** The first of the names that code in the folder may find above it on the base, where something there speaks of it. */
async function hiddenAbove(folder: string, names: readonly string[], base: Side): Promise<string | undefined> {
  const above = base.paths.filter((path) => isAbove(posix.dirname(path), folder));
  const lists = above.filter((path) => LOCKS.has(posix.basename(path)) || posix.basename(path) === MANIFEST);
  const texts = await Promise.all(lists.map(base.text));
  const kept = base.paths.filter(isPackaged).map((path) => `/${path}`);
  return names.find(
    (name) =>
      texts.some((text) => speaksOf(text, name)) || kept.some((path) => path.includes(`/node_modules/${name}/`)),
  );
}

function isAbove(folder: string, other: string): boolean {
  return folder !== other && (folder === '.' || other.startsWith(`${folder}/`));
}

function speaksOf(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${RegExp.escape(name)}(?![\\w.-])`).test(text);
}

/** @throws {JobError} always. */
function refuse(path: string, what: string): never {
  throw new JobError(
    `\`${path}\` ${what} and what that does to the tests cannot be told from the change; bring it in a pull request of its own.`,
  );
}
