/** How much of the machine code from elsewhere may use, and the sentence with which each limit ends a command. */
import { totalmem } from 'node:os';

export interface Limits {
  /** Of all processes of a command together; also of the private memory of each of them. */
  readonly memoryBytes: number;
  /** Processes and threads of a command together. */
  readonly processes: number;
  /** What commands may add to a working copy. */
  readonly diskBytes: number;
  /** Files and folders that commands may add to a working copy, and that they may have in the temporary directory. */
  readonly files: number;
}
export type LimitName = keyof Limits;

const GIB = 1024 ** 3;

/** Enough for a compiler or a browser, and never more than half of the machine. */
export function defaultLimits(machineBytes: number = totalmem()): Limits {
  return {
    memoryBytes: Math.min(4 * GIB, Math.floor(machineBytes / 2)),
    processes: 1024,
    diskBytes: 2 * GIB,
    files: 200_000,
  };
}

/** What is said when a command went beyond a limit. */
export function limitSentence(name: LimitName, limits: Limits): string {
  const limit = name === 'processes' || name === 'files' ? String(limits[name]) : sizeText(limits[name]);
  return `The command was ended: ${SUBJECTS[name].replace('%', limit)}.`;
}

const SUBJECTS: Readonly<Record<LimitName, string>> = {
  memoryBytes: 'its processes used more than % of memory',
  processes: 'it had more than % processes and threads',
  diskBytes: 'commands added more than % to the working copy',
  files: 'commands added more than % files and folders',
};

/** A file may have so many bytes; less than what a working copy may grow by, so that one file cannot pass that limit between two looks. */
export const FILE_BYTES = GIB;
const OPEN_FILES = 16_384;

/** Linux refuses at so many times the limit, between two looks; before that whoever looks ends the command, with the sentence. */
const SLACK = 2;

export interface ProcessLimits {
  readonly limits: Limits;
  readonly cpuSeconds: number;
}

/** The command line in front of a command that sets what Linux limits per process; the private memory (DATA) and not the addresses (AS), of which V8 reserves more than a machine has. */
export function limited({ limits, cpuSeconds }: ProcessLimits): readonly string[] {
  const limit = ['--core=0', `--fsize=${FILE_BYTES}`, `--cpu=${cpuSeconds}`];
  return ['prlimit', ...limit, `--nproc=${limits.processes * SLACK}`, `--data=${limits.memoryBytes * SLACK}`, '--'];
}

/** For a shell: at most so many open files, or what the machine allows if that is less. */
export const LIMIT_OPEN_FILES = `ulimit -n ${OPEN_FILES} 2>/dev/null`;

/** `512 MiB`, `2 GiB` */
export function sizeText(bytes: number): string {
  return bytes >= GIB ? `${Number((bytes / GIB).toFixed(1))} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`;
}
