/** The real sandbox with packages from the registry, and folders that are laid in it. */
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';

export interface PackageRoom {
  readonly sandbox: Sandbox;
  /** A new folder with these texts by path. */
  lay(files: Readonly<Record<string, string>>): Promise<string>;
  /** Links the packages into the folder, or those of another place. */
  link(directory: string, from?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openPackageRoom(
  packages: readonly string[],
  readOnly: readonly string[] = [],
): Promise<PackageRoom> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'package-room-')));
  const folder = join(root, 'packages');
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  for (const place of [folder, workspace, scratch]) await mkdir(place);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  if (packages.length > 0) await execa('npm', ['install', ...options, ...packages], { cwd: folder });
  const sandbox = await openSandbox({ workspace, scratch, readOnly: [...readOnly, modules], scripted: false });
  return {
    sandbox,
    async lay(files) {
      const directory = await mkdtemp(join(treesDirectory(sandbox.scratch), 'case-'));
      for (const [place, text] of Object.entries(files)) {
        await mkdir(dirname(join(directory, place)), { recursive: true });
        await writeFile(join(directory, place), text);
      }
      return directory;
    },
    async link(directory, from = modules) {
      await mkdir(join(directory, 'node_modules'), { recursive: true });
      for (const name of await readdir(from))
        if (!name.startsWith('.') || name === '.bin')
          await symlink(join(from, name), join(directory, 'node_modules', name));
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}
