/** The processes of the bench: what takes webhooks, and what sends them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const NODE = ['--disable-warning=ExperimentalWarning'];

export interface Served {
  readonly port: number;
  /** How many of the deliveries of a load it has stored, and taken in. */
  known(prefix: string, count: number): Promise<{ readonly stored: number; readonly taken: number }>;
  stop(): Promise<void>;
}

/** `bare` is Probot with an empty handler; anything else the database of a whole App. */
export async function serve(database: string): Promise<Served> {
  const child = run('served.ts', [database]);
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`served.ts ${database} ended`);
    return line.value;
  };
  return {
    port: Number(await next()),
    async known(prefix, count) {
      child.stdin?.write(`known ${prefix} ${count}\n`);
      const { stored, taken } = JSON.parse(await next());
      return { stored, taken };
    },
    async stop() {
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

export interface Load {
  readonly prefix: string;
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

let loads = 0;

/** Posts webhooks over 16 connections, as fast as they are answered or, with `perSecond`, at a steady rate. */
export async function load({ port }: Served, count: number, perSecond = 0): Promise<Load> {
  loads += 1;
  const prefix = `load-${process.pid}-${loads}`;
  const child = run('load.ts', [port, prefix, count, perSecond].map(String));
  if (child.stdout === null) throw new Error('the load generator has no output');
  const { seconds, failed, durations } = JSON.parse(await text(child.stdout));
  const sorted = [...durations].toSorted((left: number, right: number) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { prefix, count, perSecond: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failed };
}

function run(script: string, argv: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [...NODE, path, ...argv], { stdio: ['pipe', 'pipe', 'inherit'] });
}
