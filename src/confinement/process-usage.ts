/** What the processes of a command hold at this moment, read from /proc on the host; where there is none, nothing. */
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';

export interface ProcessUsage {
  /** Processes and threads. */
  readonly processes: number;
  readonly memoryBytes: number;
  /** In files that have no name any more, so that no walk through folders finds them. */
  readonly unnamedBytes: number;
  /** Files and folders in the temporary directory. */
  readonly temporaryFiles: number;
  /** Of processor time, of those that live, in hundredths of a second. */
  readonly ticks: number;
  /** Whether one of them works, or would if it had a processor, or has the disk work. */
  readonly isAtWork: boolean;
}

const PAGE_BYTES = 4096;

export interface Process {
  readonly id: number;
  readonly parent: number;
  readonly threads: number;
  readonly residentBytes: number;
  readonly state: string;
  readonly ticks: number;
}

/** All processes of the machine. */
export type ProcessTable = () => readonly Process[];

/** What was seen so shortly ago is not read again: several commands look at different moments, and each look reads of every process of the machine. */
const FRESH_MS = 100;

export function createProcessTable(): ProcessTable {
  let seen: { readonly all: readonly Process[]; readonly atMs: number } | undefined;
  return () => {
    const atMs = performance.now();
    if (seen === undefined || atMs - seen.atMs > FRESH_MS) seen = { all: processes(), atMs };
    return seen.all;
  };
}

/** Sums up every process below `root`; `enoughBytes` is from when on memory that processes share is counted once, which takes longer. */
export function usageBelow(root: number, enoughBytes: number, table: ProcessTable = processes): ProcessUsage {
  const found = below(root, table());
  const held = heldFiles(found);
  const resident = sum(found.map(({ residentBytes }) => residentBytes));
  const memory = resident > enoughBytes ? sum(found.map(exactBytes)) : resident;
  return {
    processes: sum(found.map(({ threads }) => threads)),
    memoryBytes: memory + held.memory,
    unnamedBytes: held.disk,
    temporaryFiles: temporaryFiles(found),
    ticks: sum(found.map(({ ticks }) => ticks)),
    isAtWork: found.some(({ state }) => state === 'R' || state === 'D'),
  };
}

/** Source: proc_pid_stat(5); the second field, the program's name, may contain anything. */
function processes(): readonly Process[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = textOf(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ') ?? [];
      if (fields.length < 22) return [];
      const [parent = 0, user = 0, system = 0, threads = 0, pages = 0] = [1, 11, 12, 17, 21].map((at) =>
        Number(fields[at]),
      );
      const [state = ''] = fields;
      return [{ id: Number(name), parent, threads, residentBytes: pages * PAGE_BYTES, state, ticks: user + system }];
    });
}

function below(root: number, all: readonly Process[]): readonly Process[] {
  const found = new Set([root]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { id, parent } of all) if (found.has(parent)) found.add(id);
  }
  return all.filter(({ id }) => found.has(id) && id !== root);
}

/** Memory without the pages of files, and with each shared page once. Source: proc_pid_smaps(5). */
function exactBytes({ id, residentBytes }: Process): number {
  const text = textOf(`/proc/${id}/smaps_rollup`);
  const parts = [...text.matchAll(/^Pss_(?:Anon|Shmem): +(\d+) kB$/gm)].map((match) => Number(match[1]) * 1024);
  return parts.length === 0 ? residentBytes : sum(parts);
}

/** Descriptors of files without a name: those of `memfd_create` are memory, the others disk. */
function heldFiles(found: readonly Process[]): { readonly memory: number; readonly disk: number } {
  const held = new Map<string, { readonly bytes: number; readonly isMemory: boolean }>();
  for (const { id } of found)
    for (const name of namesIn(`/proc/${id}/fd`)) {
      const path = `/proc/${id}/fd/${name}`;
      const stats = quietly(() => statSync(path));
      if (stats === undefined || !stats.isFile() || stats.nlink > 0) continue;
      const isMemory = quietly(() => readlinkSync(path))?.startsWith('/memfd:') === true;
      held.set(`${stats.dev}:${stats.ino}`, { bytes: stats.blocks * 512, isMemory });
    }
  const bytesOf = (memory: boolean) =>
    sum([...held.values()].filter(({ isMemory }) => isMemory === memory).map(({ bytes }) => bytes));
  return { memory: bytesOf(true), disk: bytesOf(false) };
}

/** The temporary directory is a file system of the command's own, seen through its last process. Before that is enclosed it sees the machine's, whose files are not its own. */
function temporaryFiles(found: readonly Process[]): number {
  const last = found.at(-1);
  if (last === undefined) return 0;
  const own = `/proc/${last.id}/root/tmp`;
  const [inside, outside] = [own, '/tmp'].map((path) => quietly(() => statSync(path).dev));
  const stats = inside === outside ? undefined : quietly(() => statfsSync(own));
  return stats === undefined ? 0 : stats.files - stats.ffree;
}

function namesIn(folder: string): readonly string[] {
  return quietly(() => readdirSync(folder)) ?? [];
}

function textOf(file: string): string {
  return quietly(() => readFileSync(file, 'utf8')) ?? '';
}

/** A process may end, or belong to somebody else, between the listing and this look. */
function quietly<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
