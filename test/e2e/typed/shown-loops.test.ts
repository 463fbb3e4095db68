/** `loopwright loops` over a database as an App left it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEngine } from '../../../src/adapters/database/database.ts';
import { createStore } from '../../../src/adapters/database/store.ts';
import { transcriptOf } from '../../../src/guard/transcript.ts';
import { idOf } from '../../../src/loop/terms.ts';
import { loopOf, reviewIn, saveOf, startedOn } from '../../adapters/loops.ts';
import { typed } from '../../cli/terminal.ts';
import { layDatabase } from '../../prepared.ts';

const AT = '2030-01-02T03:04:05.000Z';
const CALL = { phase: 'PLAN', skill: 'planning', role: 'planner', attempt: 1 } as const;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loops-'));
  await layDatabase(join(directory, 'database'));
  const engine = await openEngine({ url: join(directory, 'database') });
  const store = createStore(engine);
  const loop = loopOf(
    {},
    { status: 'working', phase: 'PLAN', started: startedOn('loopwright/12'), review: reviewIn(7) },
  );
  await store.save(saveOf(loop, 0));
  await store.save(saveOf(loopOf({ issue: 13 }, { status: 'stopped', started: startedOn('loopwright/13') }), 0));
  const expected = { ...CALL, promptTokens: 1000, completionTokens: 4000, estimated: true, durationMs: 0 } as const;
  const reserve = () =>
    store.reserve({ loopId: idOf(loop.ref), entry: 3, model: 'fast', call: expected, usd: 0.01, at: AT });
  const id = await reserve();
  const subject = { call: id, loop: 'acme/shop#12', dialect: 'chat', model: 'fast', ending: 'whole', at: AT };
  const words = { request: 'Plan it.\nPlease.', answer: 'A plan \u001b[31mred\u202e' };
  const transcript = transcriptOf({ ...subject, ...words });
  const took = { ...CALL, promptTokens: 900, completionTokens: 40, durationMs: 1500 };
  await store.settle(id, { call: took, usd: 0.0123, transcript });
  await reserve();
  await engine.close();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const looked = (...argv: readonly string[]) => typed([...argv, '--data', directory]);

test('each loop is one line, the newest first, and --open leaves out those that have ended', async () => {
  const { code, out } = await looked('loops');
  expect(code).toBe(0);
  expect(out.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['acme/shop#13', 'stopped', 'DISCOVER'],
    ['acme/shop#12', 'working', 'PLAN'],
  ]);
  expect(out[1]).toMatch(/pull request #7 .*2030-01-02 03:04 {2}Filter items$/);
  const shut = (line: string | undefined) => line?.replaceAll(/ {2,}/g, '  ');
  expect((await looked('loops', '--open')).out.map(shut)).toEqual([shut(out[1])]);
});

test('a loop is shown with each of its calls, and with --words with what was said, without what steers a terminal', async () => {
  const { out } = await looked('loops', 'show', 'acme/shop#12', '--words');
  expect(out.slice(2)).toEqual([
    '2030-01-02 03:04:05  PLAN planner (planning)  fast: 900 tokens in, 40 out, 0.0123 USD, 1.5 s',
    '  asked:',
    '    Plan it.',
    '    Please.',
    '  answered:',
    '    A plan [31mred',
    '',
    '2030-01-02 03:04:05  PLAN planner (planning)  fast: 1,000 tokens in, 4000 out, estimated, 0.0100 USD, never ended; counted as reserved',
    '  Nothing that was said is kept of it.',
    '',
  ]);
  const without = await looked('loops', 'show', 'ACME/shop#12');
  expect(without.out.filter((line) => line.includes('Plan it'))).toEqual([]);
});

test('--json is one object', async () => {
  const { out } = await looked('loops', 'show', 'acme/shop#12', '--words', '--json');
  const { loop, calls } = JSON.parse(out.join('\n'));
  expect(loop).toMatchObject({ name: 'acme/shop#12', phase: 'PLAN' });
  expect(calls).toMatchObject([{ words: { request: 'Plan it.\nPlease.' } }, { words: null }]);
  expect(JSON.parse((await looked('loops', '--json')).out.join('\n')).loops).toHaveLength(2);
});

test.each([
  [['loops', 'show', 'acme/shop#99'], 'There is no loop acme/shop#99; `loops` lists those that there are.'],
  [['loops', 'show', 'shop'], 'loops: "show shop" is not understood'],
  [['loops', 'list'], 'loops: "list" is not understood'],
])('%j gets one sentence', async (argv, sentence) => {
  const { code, err } = await looked(...argv);
  expect({ code, err: err.join('\n') }).toEqual({ code: 1, err: expect.stringContaining(sentence) });
});

test('a directory without a database is left as it is', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'loops-empty-'));
  const { code, err } = await typed(['loops', '--data', empty]);
  expect({ code, err: err.join('\n') }).toEqual({
    code: 1,
    err: expect.stringContaining('nothing is there; name the database'),
  });
  await rm(empty, { recursive: true });
});

test('a database that an App is using is left to it', async () => {
  const engine = await openEngine({ url: join(directory, 'database') });
  try {
    const { code, err } = await looked('loops');
    expect({ code, err: err.join('\n') }).toEqual({ code: 1, err: expect.stringContaining('an App is using it') });
  } finally {
    await engine.close();
  }
});
