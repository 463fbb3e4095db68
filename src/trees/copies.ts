/** Copies of working copies: what one judge leaves behind is not there for the next. */
import { cp, lstat, mkdtemp, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { treesDirectory } from '../sandbox/sandbox.ts';
import { linkPackages } from './packages.ts';

/** Runs something on a copy of a tree; the copy is gone afterwards. */
export async function onCopy<Result>(
  scratch: string,
  tree: string,
  run: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = await mkdtemp(join(treesDirectory(scratch), 'copy-'));
  try {
    await copyTree(tree, copy);
    return await run(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Packages are linked: the original is readable where the copy is used, and never writable. */
async function copyTree(from: string, to: string): Promise<void> {
  const packages: string[] = [];
  const filter = async (path: string): Promise<boolean> => {
    if (basename(path) !== 'node_modules' || !(await lstat(path)).isDirectory()) return true;
    packages.push(relative(from, path));
    return false;
  };
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
  for (const path of packages) await linkPackages(join(from, path), join(to, path));
}
