/** Installed packages in a working copy: links instead of copies, because there are thousands of files and nobody changes them. */
import { mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What a tree needs that no commit has: folders such as `node_modules`, by path from the root, and where they really are. */
export type Dependencies = ReadonlyMap<string, string>;

/** Links them into a tree. */
export async function linkDependencies(tree: string, dependencies: Dependencies): Promise<void> {
  for (const [path, place] of dependencies) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    if (basename(path) === 'node_modules') await linkPackages(place, join(tree, path));
    else await symlink(place, join(tree, path));
  }
}

/**
 * A folder of its own, in which tools may write, with a link to each package. Links between the packages of a workspace are laid as they are:
 * they lead to products of the tree that they lie in, and have to lead to those of this one.
 */
export async function linkPackages(place: string, folder: string): Promise<void> {
  await mkdir(folder);
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const [from, to] = [join(place, entry.name), join(folder, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (entry.isDirectory() && entry.name.startsWith('@')) await linkPackages(from, to);
    else if (!MADE_BY_TOOLS.test(entry.name)) await symlink(from, to);
  }
}

/** Caches of tools, which they make anew. */
const MADE_BY_TOOLS = /^\.(?:cache|vite|vite-temp|vitest)$/;
