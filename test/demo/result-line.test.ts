import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summaryOf } from '../../src/demo/demo-summary.ts';
import { resultLine } from '../../src/demo/result-line.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { listening } from '../listening.ts';
import { startedLoop, stoppedLoop, VERIFIED } from '../render/loops.ts';

const DIGEST = `sha256:${'e'.repeat(64)}`;

let server: Server;
let githubUrl: string;
beforeAll(async () => {
  server = createServer((_request, response) => void response.end('[]'));
  githubUrl = await listening(server);
});
afterAll(() => void server.close());

/** The last line of a demo that ended with this loop. */
async function printed(loop: Loop, report?: object): Promise<{ readonly evidence?: unknown }> {
  const blob = (digest: string) =>
    report === undefined
      ? Promise.reject(new Error(`nothing is stored as ${digest}`))
      : Promise.resolve(Buffer.from(JSON.stringify(report)));
  const summary = await summaryOf({
    loop,
    local: { githubUrl, key: '', ports: { store: { blob } } },
    startedMs: Date.now(),
  });
  return JSON.parse(resultLine(summary));
}

test('a loop that stopped before its pull request has every key, and says why it stopped', async () => {
  const loop = startedLoop({ status: 'stopped', note: 'The model did not answer.' });
  expect(await printed(loop)).toEqual({
    status: 'stopped',
    loop: 'acme/shop#12',
    phases: [],
    pull: null,
    evidence: [],
    modelCalls: { total: 7, outsideBuild: 7 },
    tokens: 41_200,
    costUsd: 0.31,
    github: { requests: 0, writes: 0, creations: 0 },
    sandbox: null,
    durationMs: expect.any(Number),
    reason: 'The model did not answer.',
    error: null,
  });
});

test('a price that nobody stated is null, and never zero', async () => {
  const loop = stoppedLoop();
  const { price: _, ...started } = loop.started;
  expect(await printed({ ...loop, started })).toMatchObject({
    costUsd: null,
    pull: { number: 13, headSha: 'a'.repeat(40) },
  });
  expect(
    await printed({
      ...loop,
      started: { ...started, price: { prompt: 0, completion: 0 } },
      spent: { ...loop.spent, usd: 0 },
    }),
  ).toMatchObject({ costUsd: 0 });
});

test('a row of the evidence says how strong its proof is, and whose word its outcomes are', async () => {
  const loop = stoppedLoop();
  const survivor = { file: 'src/a.js', line: 3, sentence: 'The condition is always true.', patch: '--- a/src/a.js' };
  const strength = { made: 4, noticed: 3, unmeasured: 0, unreached: [], survivors: [survivor] };
  const [change, keep] = VERIFIED.evidence;
  const report = {
    ...VERIFIED,
    evidence: [change, { ...keep, trust: 'told' }],
    strengths: [{ ...strength, requirement: 'R-1', weak: true }],
  };
  const { evidence } = await printed({ ...loop, built: { ...loop.built, reports: { verify: DIGEST } } }, report);
  expect(evidence).toEqual([
    { ...change, trust: 'sealed', strength: { made: 4, noticed: 3, unmeasured: 0, survivors: [survivor] } },
    { ...keep, trust: 'told', strength: null },
  ]);
});
