/** Copies of working copies: what one judge leaves behind is not there for the next. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { treesDirectory } from '../sandbox/sandbox.ts';

/** Runs something on a copy of a tree; the copy is gone afterwards. */
export async function onCopy<Result>(
  scratch: string,
  tree: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = await mkdtemp(join(treesDirectory(scratch), 'copy-'));
  try {
    await cp(tree, copy, { recursive: true, verbatimSymlinks: true });
    return await run(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
