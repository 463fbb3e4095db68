/** `HOSTILE_SECONDS=10 npx vitest run --project e2e test/e2e/hostile-sender.test.ts` is a shorter one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { requestOf } from '../bench/webhook.ts';
import { layDatabase } from '../prepared.ts';

const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 60);
const CONNECTIONS = 300;
/** All unless named. */
const KINDS = process.env.HOSTILE_KINDS ?? '';
const EVERY_MS = 200;
const SETTLE_MS = 4000;
/**
 * Memory below so many times that at rest: after the start, some honest webhooks, and a quiet moment. The goal is 2, and it holds (1.7 to 1.9) where
 * the machine does nothing else; beside other tests what is thrown away waits longer for the collector (up to 2.3).
 */
const MOST_TIMES = Number(process.env.HOSTILE_TIMES ?? '2.5');
/** So long GitHub waits. */
const PATIENCE_MS = 10_000;

/** What `npm start` tells Node. */
const NODE_OPTIONS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));

function started(script: string, argv: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...NODE_OPTIONS, path, ...argv]);
  child.stderr?.pipe(process.stderr);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The whole App over an embedded database, with a GitHub that cannot be reached. */
async function startedApp(): Promise<{ readonly app: ChildProcess; readonly port: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-hostile-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  await layDatabase(join(directory, 'database'));
  const app = started('../bench/served.ts', [join(directory, 'database')]);
  if (app.stdout === null) throw new Error('the App has no output');
  const [port] = await once(createInterface({ input: app.stdout }), 'line');
  return { app, port: Number(port) };
}

async function residentMb({ pid }: ChildProcess): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** One webhook over a connection of its own; gives whether it was acknowledged in time. */
async function acknowledged(port: number, id: string): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(requestOf(id));
  const answer = once(socket, 'data').then(([bytes]) => String(bytes).startsWith('HTTP/1.1 200'));
  const inTime = await Promise.race([answer.catch(() => false), sleep(PATIENCE_MS).then(() => false)]);
  socket.destroy();
  return inTime;
}

test(`the App survives ${SECONDS} s of a hostile sender: honest webhooks are acknowledged, and its memory stays`, async () => {
  const { app, port } = await startedApp();
  for (let count = 0; count < 10; count += 1) expect(await acknowledged(port, `before-${count}`)).toBe(true);
  // What the start of the database needed is given back only then.
  await sleep(SETTLE_MS);
  const idleMb = await residentMb(app);
  const sender = started('hostile-sender.ts', [String(port), String(SECONDS), String(CONNECTIONS), KINDS]);
  if (sender.stdout === null) throw new Error('the sender has no output');
  const sent = text(sender.stdout);
  const honest: Promise<boolean>[] = [];
  let mostMb = 0;
  for (let count = 0; count < (SECONDS * 1000) / EVERY_MS; count += 1) {
    honest.push(acknowledged(port, `honest-${count}`));
    mostMb = Math.max(mostMb, await residentMb(app));
    await sleep(EVERY_MS);
  }
  const answers = await Promise.all(honest);
  const share = answers.filter(Boolean).length / answers.length;
  process.stdout.write(
    `${idleMb.toFixed(0)} MB idle, ${mostMb.toFixed(0)} MB at most; ${share} of ${answers.length} acknowledged; sent ${await sent}\n`,
  );
  expect(app.exitCode).toBeNull();
  expect(share).toBeGreaterThanOrEqual(0.99);
  expect(mostMb).toBeLessThan(MOST_TIMES * idleMb);
  expect(await acknowledged(port, 'after')).toBe(true);
});
