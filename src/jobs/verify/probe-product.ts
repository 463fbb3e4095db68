/** Starts the product inside the sandbox on a free port and waits until it answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeRequest } from './probe-protocol.ts';

export interface Product {
  /** Undefined when the product is not there; then `problem` says why. */
  readonly origin: string | undefined;
  readonly problem: string | undefined;
  /** The end of what it printed. */
  readonly output: () => string;
  readonly stop: () => void;
}

const OUTPUT_CHARACTERS = 20_000;
const POLL_MS = 100;

/** Starts `start` with PORT in its environment and waits for `health` to answer 200; without a health path any answer will do. */
export async function startProduct({ start, health, startMs }: ProbeRequest): Promise<Product> {
  if (start === null) {
    const problem = 'the configuration has no start command (`commands.start`), so nothing could be asked';
    return { origin: undefined, problem, output: () => '', stop: () => undefined };
  }
  const port = await freePort();
  // A group of its own, so that what the command starts is stopped with it.
  const child = spawn('env', [`PORT=${port}`, 'bash', '-c', start], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let ended: string | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS);
    });
  }
  child.on('error', (error) => {
    ended = error.message;
  });
  child.on('exit', (code, signal) => {
    ended = `the start command ended with ${code ?? signal}: ${output.trim().slice(-1000)}`;
  });
  const origin = `http://127.0.0.1:${port}`;
  const problem = await waitFor({ origin, health, startMs, ended: () => ended });
  const stop = () => stopGroup(child.pid);
  return { origin: problem === undefined ? origin : undefined, problem, output: () => output, stop };
}

interface Waiting {
  readonly origin: string;
  readonly health: string | null;
  readonly startMs: number;
  readonly ended: () => string | undefined;
}

async function waitFor({ origin, health, startMs, ended }: Waiting): Promise<string | undefined> {
  const end = Date.now() + startMs;
  let last = 'no answer';
  while (Date.now() < end) {
    const problem = ended();
    if (problem !== undefined) return problem;
    const status = await statusOf(origin + (health ?? '/'));
    if (status === 200 || (health === null && typeof status === 'number')) return undefined;
    last = String(status);
    await sleep(POLL_MS);
  }
  return `GET ${health ?? '/'} was not answered with 200 within ${startMs} ms (last: ${last})`;
}

async function statusOf(address: string): Promise<number | string> {
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if (error instanceof Error) return error.cause instanceof Error ? error.cause.message : error.message;
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
  return address.port;
}

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
