/** Copies of working copies: what one judge leaves behind is not there for the next. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
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
  const packages = await packageFolders(from);
  await copyBeside(packages, from, to);
  for (const path of packages) await linkPackages(join(from, path), join(to, path));
}

/** Folders of installed packages, by path from the root; none within another. */
async function packageFolders(root: string, folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => (name === PACKAGES ? [join(folder, name)] : packageFolders(root, join(folder, name))));
  return (await Promise.all(found)).flat();
}

const PACKAGES = 'node_modules';
/** Of paths in one command line. */
const MOST_AT_ONCE = 500;

/** All but the packages, by the system's own program: a working copy has thousands of files, and one of them after the other takes four times as long. */
async function copyBeside(packages: readonly string[], from: string, to: string, folder = ''): Promise<void> {
  const paths = (await readdir(join(from, folder))).map((name) => join(folder, name));
  const parted = paths.filter((path) => packages.some((inside) => inside.startsWith(`${path}/`)));
  const whole = paths.filter((path) => !packages.includes(path) && !parted.includes(path));
  for (let at = 0; at < whole.length; at += MOST_AT_ONCE) {
    const asked = whole.slice(at, at + MOST_AT_ONCE).map((path) => join(from, path));
    await execa('cp', ['-a', '--', ...asked, join(to, folder)], { stdin: 'ignore' });
  }
  for (const path of parted) {
    await mkdir(join(to, path), (await stat(join(from, path))).mode);
    await copyBeside(packages, from, to, path);
  }
}
