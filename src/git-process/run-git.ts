/**
 * Runs git, as every process here does that may grow large. Starting a process copies the page tables of the one that starts it, which stops a
 * process of a gigabyte (an embedded database takes that) for 50 ms and more each time. So a small process of our own starts them: 4 ms.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { packageFile } from '../settings/package-root.ts';

export interface GitRun {
  /** What follows `git`. */
  readonly argv: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** After this git is ended; without it there is no end. */
  readonly timeoutMs?: number;
  /** Output beyond this ends git. */
  readonly mostBytes: number;
}

export interface GitResult {
  /** Undefined when git could not start, or a signal, the deadline or too much output ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: Uint8Array;
  readonly stderr: string;
  /** What went wrong, in one sentence, for when git said nothing; empty when nothing did. */
  readonly problem: string;
}

/** What goes to the process that starts git, and what comes back. */
export interface Asked extends GitRun {
  readonly id: number;
}
export interface Answered extends GitResult {
  readonly id: number;
}

const ENTRY = import.meta.filename.endsWith('.ts')
  ? join(import.meta.dirname, 'main.ts')
  : packageFile('dist', 'git-process.js');

interface Starter {
  readonly child: ChildProcess;
  readonly waiting: Map<number, PromiseWithResolvers<GitResult>>;
}

let starter: Starter | undefined;
let asked = 0;

/** @throws {Error} when the process that starts git ended before git did; then nobody knows what git has done. */
export async function runGit(run: GitRun): Promise<GitResult> {
  starter ??= start();
  const { child, waiting } = starter;
  asked += 1;
  const id = asked;
  const result = Promise.withResolvers<GitResult>();
  waiting.set(id, result);
  child.ref();
  child.channel?.ref();
  child.send({ ...run, id } satisfies Asked, (error) => {
    if (error !== null) result.reject(error);
  });
  return result.promise.finally(() => {
    waiting.delete(id);
    if (waiting.size === 0) rest(child);
  });
}

/** One for all that this process runs; it ends when this process does, however that happens. */
function start(): Starter {
  const child = fork(ENTRY, {
    serialization: 'advanced',
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // A terminal's Ctrl-C is for us, who may have to end something first.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const started: Starter = { child, waiting: new Map() };
  child.on('message', (answer: Answered) => started.waiting.get(answer.id)?.resolve(answer));
  const ended = (why: string): void => {
    if (starter === started) starter = undefined;
    for (const { reject } of started.waiting.values()) reject(new Error(`the process that starts git ended (${why})`));
  };
  child.once('error', ({ message }) => ended(message));
  child.once('exit', (code, signal) => ended(String(signal ?? code)));
  rest(child);
  return started;
}

/** While nothing is asked for, it keeps nobody from ending. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
