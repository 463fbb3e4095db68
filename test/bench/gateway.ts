/**
 * `npm run bench:gateway`: what the gateway adds to a call of a model while twenty streams are under way, beside a proxy that does nothing but hand on. The two take turns.
 * Means something on an idle machine only, so that a goal that is missed is told, and no failure.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { optionsOrEnd } from '../command-line.ts';
import { startPostgres } from '../machine/postgres-server.ts';
import { median } from './median.ts';

const json = optionsOrEnd({
  typed: 'npm run bench:gateway --',
  purpose: 'Measures what the gateway adds to a call of a model while twenty streams are under way.',
  options: { json: { meaning: 'one JSON array instead of text' } },
  read: (given) => given.json === true,
});
const STREAMS = 20;
const CALLS = 8;
/** Of them, to warm what all need. */
const FIRST_CALLS = 3;
const GOAL_MS = 10;
/** Of the model's answer. */
const STREAM_MS = 1500;

interface Door {
  readonly url: string;
  /** Of loops, one for each stream, or one for all of them. */
  readonly tokens: readonly string[];
}

const children: ChildProcess[] = [];

async function start(...argv: readonly string[]): Promise<Door> {
  const program = join(import.meta.dirname, 'streams.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return z.object({ url: z.string(), tokens: z.array(z.string()) }).parse(JSON.parse(String(line)));
}

interface Call {
  readonly firstMs: number;
  readonly wholeMs: number;
}

const BODY = JSON.stringify({
  model: 'any',
  stream: true,
  messages: [{ role: 'user', content: 'words '.repeat(600) }],
});

/** @throws {Error} for an answer that is none. */
async function call({ url, tokens }: Door, index: number): Promise<Call> {
  const token = tokens[index % tokens.length];
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/gateway/v1/chat/completions`, { method: 'POST', headers, body: BODY });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`);
  let firstMs: number | undefined;
  let said = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    firstMs ??= performance.now() - startedMs;
    said += piece;
  }
  if (!said.endsWith('[DONE]\n\n')) throw new Error(`${url} broke off after ${said.length} characters`);
  return { firstMs: firstMs ?? Number.NaN, wholeMs: performance.now() - startedMs };
}

/** Twenty streams under way, call after call: agents ask when they have something to ask, and not all at the same moment. */
async function flowing(door: Door): Promise<readonly Call[]> {
  const agents = Array.from({ length: STREAMS }, async (_, index) => {
    await delay((index / STREAMS) * STREAM_MS);
    const calls: Call[] = [];
    for (let turn = 0; turn < CALLS; turn += 1) calls.push(await call(door, index));
    return calls.slice(FIRST_CALLS);
  });
  return (await Promise.all(agents)).flat();
}

/** All at the same moment, as no agents do, to see how long the last one waits. */
const atOnce = (door: Door): Promise<readonly Call[]> =>
  Promise.all(Array.from({ length: STREAMS }, (_, index) => call(door, index)));

interface Result {
  readonly database: string;
  /** Whose streams they are. */
  readonly loops: number;
  /** Of one call, medians. */
  readonly bare: Call;
  readonly gateway: Call;
  readonly addedMs: number;
  /** The same, where all begin at the same moment. */
  readonly addedAtOnceMs: number;
}

async function compare(database: string, bare: Door, gateway: Door): Promise<Result> {
  const [without, through] = [middle(await flowing(bare)), middle(await flowing(gateway))];
  const [withoutAtOnce, throughAtOnce] = [middle(await atOnce(bare)), middle(await atOnce(gateway))];
  return {
    ...{ database, loops: gateway.tokens.length, bare: without, gateway: through },
    addedMs: through.wholeMs - without.wholeMs,
    addedAtOnceMs: throughAtOnce.wholeMs - withoutAtOnce.wholeMs,
  };
}

function middle(calls: readonly Call[]): Call {
  return {
    firstMs: median(calls.map(({ firstMs }) => firstMs)),
    wholeMs: median(calls.map(({ wholeMs }) => wholeMs)),
  };
}

function tell({ database, loops, bare, gateway, addedMs, addedAtOnceMs }: Result): void {
  const mark = addedMs <= GOAL_MS ? 'holds' : 'MISSED';
  process.stdout.write(
    `${database.padEnd(10)}  ${STREAMS} streams of ${loops === 1 ? '1 loop' : `${loops} loops`}: first word ${bare.firstMs.toFixed(1)} ms bare, ${gateway.firstMs.toFixed(1)} ms here; whole ${bare.wholeMs.toFixed(1)} and ${gateway.wholeMs.toFixed(1)} ms, ${addedMs.toFixed(1)} ms more (goal ${GOAL_MS}): ${mark}; ${addedAtOnceMs.toFixed(1)} ms more where all begin at the same moment\n`,
  );
}

const directory = await mkdtemp(join(tmpdir(), 'bench-gateway-'));
const postgres = await startPostgres();
try {
  const model = await start('model');
  const bare = await start('bare', model.url);
  const results: Result[] = [];
  for (const [database, url] of [
    ['PostgreSQL', await postgres.createDatabase()],
    ['PGlite', join(directory, 'database')],
  ] as const) {
    const gateway = await start('gateway', model.url, url);
    for (const tokens of [gateway.tokens, gateway.tokens.slice(0, 1)]) {
      const result = await compare(database, bare, { ...gateway, tokens });
      results.push(result);
      if (!json) tell(result);
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
} finally {
  for (const child of children) {
    child.kill('SIGINT');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
