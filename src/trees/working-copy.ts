/** A copy of somebody's checkout as it stands, committed or not, to try something on. */
import { constants, copyFile, lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDependencyFolder } from './checkout.ts';
import { type Dependencies, linkDependencies } from './packages.ts';
import { runGit, split } from './repository.ts';

export interface WorkingFile {
  readonly path: string;
  /** 0 for a link. */
  readonly bytes: number;
}

/** What is committed or new, without what is installed, what git ignores, what was deleted, and repositories of their own. */
export async function workingFiles(root: string): Promise<readonly WorkingFile[]> {
  const tracked = split(await runGit(['ls-files', '--cached', '-z'], root, {}));
  const others = split(await runGit(['ls-files', '--others', '--exclude-standard', '-z'], root, {}));
  const isInstalled = (path: string): boolean => path.split('/').some(isDependencyFolder);
  const found: WorkingFile[] = [];
  for (const path of new Set([...tracked, ...others.filter((other) => !isInstalled(other))])) {
    const stats = await lstat(join(root, path)).catch(() => undefined);
    if (stats?.isFile() === true) found.push({ path, bytes: stats.size });
    if (stats?.isSymbolicLink() === true) found.push({ path, bytes: 0 });
  }
  return found;
}

interface Copied {
  readonly root: string;
  readonly files: readonly WorkingFile[];
  readonly dependencies: Dependencies;
}

/** Lays the files into a new folder, as they stand, with links to what is installed. */
export async function layWorkingCopy(folder: string, { root, files, dependencies }: Copied): Promise<void> {
  await mkdir(folder);
  for (const { path } of files) {
    const [from, to] = [join(root, path), join(folder, path)];
    await mkdir(dirname(to), { recursive: true });
    if ((await lstat(from)).isSymbolicLink()) await symlink(await readlink(from), to);
    else await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
  await linkDependencies(folder, dependencies);
}
