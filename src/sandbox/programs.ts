/** Where the programs are that the sandbox needs: Node, Python, bubblewrap. */
import { chmod, constants, copyFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { execa } from 'execa';
import { childEnvironment } from '../settings/env.ts';

export interface Interpreters {
  readonly path: readonly string[];
  readonly bind: readonly string[];
  /** The virtual environment that Python is of, which somebody has activated; undefined where it is of none. */
  readonly environment: string | undefined;
}
let interpreters: Promise<Interpreters> | undefined;

/** Node and Python may live outside the system's directories; they are looked up once per process. */
export function interpreterDirectories(): Promise<Interpreters> {
  interpreters ??= findInterpreters();
  return interpreters;
}

async function findInterpreters(): Promise<Interpreters> {
  const node = dirname(process.execPath);
  const python = await execa('python3', ['-c', 'import sys; print(sys.prefix); print(sys.base_prefix)'], {
    reject: false,
  });
  const prefixes = python.exitCode === 0 ? [...new Set(python.stdout.split('\n'))] : [];
  const modules = join(dirname(node), 'lib', 'node_modules');
  const npm = basename(node) === 'bin' && (await exists(modules)) ? [modules] : [];
  const places = [node, ...npm, ...prefixes].filter((place) => !contains('/usr', place));
  return {
    path: [node, ...prefixes.map((prefix) => join(prefix, 'bin'))],
    bind: places,
    environment: prefixes.length > 1 ? prefixes[0] : undefined,
  };
}

/** Of a program that may be run and not read, Linux lets no other process without privileges see the inside. */
export async function closedNode(scratch: string): Promise<string> {
  const copy = join(scratch, 'node');
  await copyFile(process.execPath, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o111);
  return copy;
}

/** A program that begins outside of the enclosure. The host's own path counts: what the sandboxed command sees is another one. */
export async function hostProgram(name: string): Promise<string | undefined> {
  for (const place of childEnvironment().PATH?.split(':') ?? []) {
    const program = join(place, name);
    if (isAbsolute(program) && (await exists(program))) return program;
  }
  return undefined;
}

/** Whether the path is the parent, or below it. */
export function contains(parent: string, path: string): boolean {
  const way = relative(parent, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether something is there, links followed. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
