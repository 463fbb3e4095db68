/** Working copies for judging: base, head, and head without some of its changes, each with the frozen tests laid over it. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrozenTests } from '../../loop/brief.ts';
import { overwriteInside, removeInside } from '../../sandbox/inside.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { onCopy } from '../../trees/copies.ts';
import { layTree, treeOf } from '../../trees/repository.ts';
import { said } from '../report/said.ts';
import { type Bench, JobError, runShell, SetupError } from './environment.ts';
import { install } from './install.ts';

export interface Trees {
  readonly base: string;
  readonly head: string;
  /** Paths that each commit has, with their object ids. */
  readonly baseFiles: ReadonlyMap<string, string>;
  readonly headFiles: ReadonlyMap<string, string>;
}

/**
 * Lays out base and candidate in directories of their own, installed and built where the repository has commands for it.
 * @throws {JobError} when installing or building fails; a tree that is not built proves nothing.
 */
export async function layTrees(bench: Bench, tests: FrozenTests | undefined): Promise<Trees> {
  const { brief, repository } = bench;
  const lay = async (name: 'base' | 'head', commit: string) => {
    const directory = await mkdtemp(join(treesDirectory(bench.environment.scratch), `${name}-`));
    await layTree(repository, commit, directory);
    await prepare(bench, name, directory);
    if (tests !== undefined) await layTests(directory, tests);
    return directory;
  };
  const filesOf = async (commit: string) =>
    new Map((await treeOf(repository, commit)).map(({ path, mode, id }) => [path, `${mode} ${id}`]));
  return {
    base: await lay('base', brief.base),
    head: await lay('head', brief.candidate),
    baseFiles: await filesOf(brief.base),
    headFiles: await filesOf(brief.candidate),
  };
}

/** Lays the frozen tests over a tree: before each run, because the product's own commands write in it too. @throws {JobError} where that is not possible. */
export async function layTests(tree: string, { files }: Pick<FrozenTests, 'files'>): Promise<void> {
  for (const { path, content } of files) await overwrite(tree, path, content);
}

/** Runs something on a copy of a tree, so that what it leaves behind is not there for the next judge. */
export function onTreeCopy<Result>(
  bench: Bench,
  tree: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  return onCopy(bench.environment.scratch, tree, run);
}

/** Sets paths of a tree back to what the base commit has there: its file, or nothing. The repository is built again where it has a build. */
export async function revertPaths(bench: Bench, tree: string, paths: readonly string[]): Promise<void> {
  const wanted = new Set(paths);
  for (const path of paths) refuse(path, await removeInside(tree, path));
  for (const { path, mode, id } of await treeOf(bench.repository, bench.brief.base)) {
    if (!wanted.has(path)) continue;
    const content = await bench.repository.git(['cat-file', 'blob', id]);
    await overwrite(tree, path, content, mode === '100755');
  }
  // What a build makes of a part of a change may rightly fail; then the tests show it.
  if (bench.brief.commands.build !== null) await runShell(bench, bench.brief.commands.build, tree);
}

/** Writes a file whatever stands in its way. @throws {JobError} where that is not possible. */
export async function overwrite(
  tree: string,
  path: string,
  content: string | Uint8Array,
  executable?: boolean,
): Promise<void> {
  refuse(path, await overwriteInside(tree, path, content, executable));
}

async function prepare(bench: Bench, name: 'base' | 'head', directory: string): Promise<void> {
  const isUntouched = name === 'base';
  await install(bench, directory, { where: ` on the ${name} commit, so nothing can be judged`, isUntouched });
  const { build } = bench.brief.commands;
  if (build === null) return;
  const result = await runShell(bench, build, directory);
  if (result.exitCode === 0) return;
  const output = said(result, 2000);
  const message = `Nothing can be judged: ${JSON.stringify(build)} failed on the ${name} commit: ${output}`;
  throw isUntouched ? new SetupError(message) : new JobError(message);
}

function refuse(path: string, refusal: string | undefined): void {
  if (refusal !== undefined) throw new JobError(`Cannot write ${JSON.stringify(path)} into a working copy: ${refusal}`);
}
