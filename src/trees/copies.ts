/** Copies of working copies: what one judge leaves behind is not there for the next. */
import { cpSync } from 'node:fs';
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
  const { packages, entries, isPlain } = await seenIn(from);
  if (isPlain && entries <= FEW) copyHere(packages, from, to);
  else await copyBeside(packages, from, to);
  for (const path of packages) await linkPackages(join(from, path), join(to, path));
}

/** A tree, looked through but for what lies in its packages. */
interface Seen {
  /** Folders of installed packages, by path from the root; none within another. */
  readonly packages: readonly string[];
  readonly entries: number;
  /** Whether there is nothing in it but files, folders and links. */
  readonly isPlain: boolean;
}

async function seenIn(root: string, folder = ''): Promise<Seen> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const isKnown = entries.every((entry) => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink());
  const inside = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }): Seen | Promise<Seen> => {
        const path = join(folder, name);
        return name === PACKAGES ? { packages: [path], entries: 0, isPlain: true } : seenIn(root, path);
      }),
  );
  return {
    packages: inside.flatMap(({ packages }) => packages),
    entries: inside.reduce((sum, one) => sum + one.entries, entries.length),
    isPlain: isKnown && inside.every(({ isPlain }) => isPlain),
  };
}

/** So many are copied sooner than a program for it is started, which holds this process up: the more memory that has, the longer. */
const FEW = 200;

function copyHere(packages: readonly string[], from: string, to: string): void {
  const left = new Set(packages.map((path) => join(from, path)));
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  cpSync(from, to, { ...options, filter: (path) => !left.has(path) });
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
