/** Processes of a workflow run: each in a group of its own, found again and ended when the run is over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstProcessGone } from '../../confinement/first-process.ts';
import { createLineReader } from './lines.ts';
import type { EnclosedStart, ProcessStart } from './process-start.ts';
import { descendantsOf, processesWith } from './process-table.ts';

export interface ProcessRequest extends ProcessStart, Partial<Pick<EnclosedStart, 'filter' | 'watch'>> {
  /** What to start instead. */
  readonly enclose?: ((start: ProcessStart) => Promise<EnclosedStart>) | undefined;
  /** Ends the whole process group, and everything below it, with SIGKILL. */
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/**
 * Runs one program to its end; resolves to the exit code (128 + n after signal n). What it left in the background goes on.
 * @throws Error when the program cannot be started.
 */
export async function runProcess(request: ProcessRequest): Promise<number> {
  if (request.signal.aborted) return killedExitCode;
  if (request.enclose !== undefined) {
    const { enclose, ...start } = request;
    return runProcess({ ...start, ...(await enclose(start)) });
  }
  // Opened anew for each process: descriptors share their place in the file.
  const filter = request.filter === undefined ? undefined : await open(request.filter);
  const child = started(request, filter);
  const kill = (): void => endGroup(child);
  request.signal.addEventListener('abort', kill, { once: true });
  try {
    const drained = drain([child.stdout, child.stderr], request.onLine);
    const watched = child.pid === undefined ? undefined : request.watch?.(child.pid, kill);
    const first = textOf([...child.stdio].at(5));
    const exitCode = await exitOf(child, request.command);
    await firstProcessGone(first());
    const passed = await watched?.end();
    await drained();
    if (passed !== undefined) request.onLine(passed);
    return passed === undefined ? exitCode : killedExitCode;
  } finally {
    request.signal.removeEventListener('abort', kill);
    await filter?.close();
  }
}

/** Bubblewrap reads its filter at descriptor 4 and says at 5 which process is its first. */
function started(request: ProcessRequest, filter: FileHandle | undefined) {
  const { command, arguments: argv, directory, environment } = request;
  const enclosed = 'filter' in request;
  const options = { cwd: directory, env: { ...environment }, detached: true };
  const plain = ['ignore', 'pipe', 'pipe'] as const;
  const bubblewrap = ['ignore', filter?.fd ?? 'ignore', filter === undefined ? 'ignore' : 'pipe'] as const;
  const stdio = enclosed ? [...plain, ...bubblewrap] : [...plain];
  const child = spawn(command, argv, { ...options, stdio });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error(`${command} was started without its output`);
  return Object.assign(child, { stdout, stderr });
}

function textOf(stream: unknown): () => string {
  let text = '';
  if (stream instanceof Readable) stream.on('error', () => undefined).on('data', (chunk) => (text += String(chunk)));
  return () => text;
}

/** The RUNNER_TRACKING_ID of a job: the same after a restart, so that leftovers of a dead runner can be found. */
export function trackingIdOf(jobDirectory: string): string {
  const digest = createHash('sha256').update(jobDirectory).digest('hex');
  return `loopwright_${basename(jobDirectory)}_${digest.slice(0, 24)}`;
}

/** Ends what jobs of a dead runner left running, and removes the folders that they worked in: those of this one. */
export async function endLeftovers(works: string): Promise<void> {
  const left = await readdir(works).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of left) {
    const directory = join(works, name);
    await endTracked(trackingIdOf(directory));
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/**
 * Ends every process whose environment carries the tracking id, whatever its group or session; returns how many there
 * were. Needs /proc; elsewhere nothing is found and 0 returned.
 */
export async function endTracked(trackingId: string): Promise<number> {
  const ended = new Set<number>();
  for (let round = 0; round < 40; round++) {
    const marked = processesWith(`RUNNER_TRACKING_ID=${trackingId}`);
    if (marked.length === 0) break;
    const found = [...marked, ...descendantsOf(marked)];
    for (const processId of found) {
      ended.add(processId);
      killQuietly(processId);
    }
    await sleep(25);
  }
  return ended.size;
}

const killedExitCode = 137;

function exitOf(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`${command} did not start: ${cause.message}`, { cause })));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === 'SIGKILL' ? 9 : 15)));
  });
}

/** Reads on after the exit until the pipes close or, as a background process may hold them, are silent for a while. */
function drain(streams: readonly Readable[], onLine: (line: string) => void): () => Promise<void> {
  let lastChunkAtMs = Date.now();
  const readers = streams.map((stream) => {
    const reader = createLineReader(onLine);
    stream.on('data', (chunk: Buffer) => {
      lastChunkAtMs = Date.now();
      reader.push(chunk);
    });
    return { stream, reader };
  });
  return async () => {
    const exitedAtMs = Date.now();
    const open = (): boolean => streams.some((stream) => !stream.readableEnded && !stream.destroyed);
    while (open() && Date.now() - Math.max(lastChunkAtMs, exitedAtMs) < silenceMs) await sleep(10);
    for (const { stream, reader } of readers) {
      stream.destroy();
      reader.end();
    }
  };
}

const silenceMs = 500;

/** Ends the group, and what left the group (and maybe its environment) but still hangs below it. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const below = descendantsOf([child.pid]);
  // The group first and at once: a shell whose child dies before it would go on to its next line.
  for (const processId of [-child.pid, ...below]) killQuietly(processId);
}

/** A process that is gone already is what we want. */
function killQuietly(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
