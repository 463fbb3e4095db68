/** The product as people would run it: without its tests and the loop's documents, which hold what is expected of it, and in another place than where the tests run. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isTestPath } from '../../guard/test-paths.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import type { Bench } from '../workspace/environment.ts';

/** Runs something on such a copy of a tree; the copy is gone afterwards. What is installed stays, whatever it is called. */
export async function onNeutralCopy<Result>(
  { brief, environment }: Bench,
  tree: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = await mkdtemp(join(treesDirectory(environment.scratch), 'product-'));
  const { runner } = brief.commands;
  const frozen = new Set(brief.tests?.files.map(({ path }) => path));
  const tells = (path: string) =>
    !/(?:^|\/)node_modules\//.test(path) && (frozen.has(path) || isTestPath(path, runner) || DOCUMENTS.test(path));
  try {
    await cp(tree, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !tells(relative(tree, source)),
    });
    return await run(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

const DOCUMENTS = /^\.loopwright(?:\/|$)/;
