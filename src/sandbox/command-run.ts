/** Runs one process in a group of its own, with a deadline and capped output, and returns all that it said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { firstProcessGone } from '../confinement/first-process.ts';
import type { Watch } from '../confinement/watch.ts';

export interface CommandResult {
  /** Undefined when a signal ended the command. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  /** Whether output beyond the cap was thrown away. */
  readonly truncated: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** What the command wrote to file descriptor 3; empty unless it was asked for. */
  readonly results: string;
  readonly durationMs: number;
}

export interface ProcessRequest {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly results: boolean;
  /** A file that the process finds open for reading at descriptor 4. */
  readonly filter?: string | undefined;
  /** Begins to watch the process; the sentence with which it ends it goes to standard error. */
  readonly watch?: ((processId: number, kill: () => void) => Watch) | undefined;
}

/** Results are ours and short; more than this is somebody flooding the descriptor. */
const RESULT_BYTES = 16 * 1024 * 1024;
const FIRST_PROCESS_BYTES = 4096;
/** How long an ended command's pipes may stay open through a process that escaped its group. */
const LINGER_MS = 500;

interface Collector {
  readonly text: () => string;
  readonly truncated: () => boolean;
}

/** Runs the process to its end; a missing program is exit code 127 as in a shell, the deadline kills the whole group. */
export async function runProcess(request: ProcessRequest): Promise<CommandResult> {
  const started = performance.now();
  // Opened anew for each process: descriptors share their place in the file.
  const filter = request.filter === undefined ? undefined : await open(request.filter);
  const child = spawned(request, filter);
  const stdout = collect(child.stdio[1], request.outputBytes);
  const stderr = collect(child.stdio[2], request.outputBytes);
  const results = collect(child.stdio[3], RESULT_BYTES);
  const first = collect([...child.stdio].at(5), FIRST_PROCESS_BYTES);
  // A command that ends before it has read its input is not an error of ours.
  child.stdin?.on('error', () => undefined).end(request.stdin ?? '');
  let timedOut = false;
  const deadline = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, request.timeoutMs);
  const watched = child.pid === undefined ? undefined : request.watch?.(child.pid, () => killGroup(child));
  const ending = await endOf(child);
  await Promise.all([filter?.close(), firstProcessGone(first.text())]);
  const passed = await watched?.end();
  clearTimeout(deadline);
  return {
    exitCode: passed === undefined ? ending.exitCode : undefined,
    signal: passed === undefined ? ending.signal : 'SIGKILL',
    timedOut,
    truncated: [stdout, stderr, results].some((collector) => collector.truncated()),
    stdout: stdout.text(),
    stderr: stderr.text() + ending.problem + (passed === undefined ? '' : `${passed}\n`),
    results: results.text(),
    durationMs: performance.now() - started,
  };
}

/** At once, so that whoever asks hears of a failure to start. */
function spawned({ argv, directory, env, results }: ProcessRequest, filter: FileHandle | undefined): ChildProcess {
  const bubblewrap = filter === undefined ? ['ignore' as const] : [filter.fd, 'pipe' as const];
  const stdio = ['pipe' as const, 'pipe' as const, 'pipe' as const, results ? ('pipe' as const) : ('ignore' as const)];
  return spawn(argv[0] ?? '', argv.slice(1), { cwd: directory, env, detached: true, stdio: [...stdio, ...bubblewrap] });
}

interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly problem: string;
}

async function endOf(child: ChildProcess): Promise<Ending> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ending = await new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: 127, signal: undefined, problem: `${error.message}\n` }));
    child.once('exit', (code, signal) =>
      resolve({ exitCode: code ?? undefined, signal: signal ?? undefined, problem: '' }),
    );
  });
  killGroup(child);
  const linger = Promise.withResolvers<void>();
  const timer = setTimeout(linger.resolve, LINGER_MS);
  await Promise.race([closed, linger.promise]);
  clearTimeout(timer);
  for (const stream of child.stdio) stream?.destroy();
  return ending;
}

/** Whatever is left of the group dies with its leader. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already, which is what we want.
  }
}

function collect(stream: unknown, limitBytes: number): Collector {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  if (isReadable(stream)) {
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, limitBytes - kept);
      truncated ||= part.length < chunk.length;
      kept += part.length;
      if (part.length > 0) chunks.push(part);
    });
  }
  return { text: () => Buffer.concat(chunks).toString('utf8'), truncated: () => truncated };
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'readable' in stream;
}
