/** Installed packages in a working copy: links instead of copies, because there are thousands of files and nobody changes them. */
import { mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';

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
