/** Small tasks in one file each: a base, a change, careful tests, and one case alone. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

export interface Task {
  readonly name: string;
  readonly base: Files;
  readonly change: Files;
  readonly careful: Files;
  readonly oneCase: Files;
}

const PARTS = { base: 'base', change: 'change', careful: 'careful', 'one-case': 'oneCase' } as const;
const HEAD = /^=== (base|change|careful|one-case) (\S+)$/;

/** @throws {Error} with the line that belongs to no part. */
export function parseTask(name: string, text: string): Task {
  const found = { base: {}, change: {}, careful: {}, oneCase: {} } satisfies Record<string, Record<string, string>>;
  const parts: Readonly<Record<string, Record<string, string>>> = found;
  let write: ((line: string) => void) | undefined;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const [, part, path] = HEAD.exec(line) ?? [];
    if (part !== undefined && path !== undefined) write = writer(parts[nameOf(part)] ?? {}, path);
    else if (write === undefined) throw new Error(`${name}: "${line}" stands before the first file`);
    else write(line);
  }
  return { name, ...found };
}

function nameOf(part: string): string {
  return Object.entries(PARTS).find(([written]) => written === part)?.[1] ?? part;
}

function writer(files: Record<string, string>, path: string): (line: string) => void {
  files[path] = '';
  return (line) => {
    files[path] = `${files[path]}${line}\n`;
  };
}

/** All of them, by name. */
export async function readTasks(): Promise<readonly Task[]> {
  const folder = join(import.meta.dirname, 'tasks');
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => parseTask(name.replace(/\.txt$/, ''), await readFile(join(folder, name), 'utf8'))),
  );
}
