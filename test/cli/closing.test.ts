import { expect, test } from 'vitest';
import { closingOf } from '../../src/cli/closing.ts';
import { startedLoop, VERIFIED } from '../render/loops.ts';

const SUMMARY = {
  status: 'stopped',
  loop: 'acme/shop#12',
  phases: [],
  pull: undefined,
  evidence: [],
  modelCalls: { total: 7, outsideBuild: 1 },
  tokens: 1,
  costUsd: 0,
  github: { requests: 1, writes: 1, creations: 1 },
  sandbox: 'bubblewrap',
  durationMs: 65_000,
  reason: 'why',
} as const;

test.each([
  [undefined, 'demo -- --sabotage product'],
  ['product', 'demo -- --sabotage test'],
  ['test', 'demo -- --sabotage product'],
] as const)('after the sabotage %s the next steps offer %s', (sabotage, offered) => {
  const run = { directory: '/last', kept: false, minutes: 10, sabotage };
  const loop = startedLoop({ status: 'stopped', note: 'why' });
  const lines = closingOf({ loop, summary: SUMMARY, proven: [], repositoryUrl: 'http://127.0.0.1/a/b', run });
  expect(
    lines.filter((line) => line.includes('--sabotage')).map((line) => line.split('run ')[1]?.split('   ')[0]),
  ).toEqual([offered]);
});

test('the last lines say what proves each requirement, a metric by what it had to reach', () => {
  const [change, , metric] = VERIFIED.evidence;
  if (change === undefined || metric === undefined) throw new Error('both are there');
  const loop = startedLoop({ status: 'succeeded', phase: 'REFLECT', note: '' });
  const lines = closingOf({
    loop,
    summary: {
      status: 'succeeded',
      loop: 'acme/shop#12',
      phases: [
        {
          name: 'VERIFY',
          attempts: 1,
          seconds: 60,
          gates: [{ name: 'p95_ms', value: 12.5, threshold: '<= 500', passed: true }],
          history: [],
        },
      ],
      pull: { number: 13, url: 'http://127.0.0.1:8480/acme/shop/pull/13', headSha: undefined },
      evidence: [],
      modelCalls: { total: 7, outsideBuild: 1 },
      tokens: 1,
      costUsd: 0,
      github: { requests: 1, writes: 1, creations: 1 },
      sandbox: 'bubblewrap',
      durationMs: 65_000,
      reason: undefined,
    },
    proven: [change, { ...metric, reason: 'measured 12.5, wanted p95_ms <= 100 ms' }],
    repositoryUrl: 'http://127.0.0.1:8480/acme/shop',
    run: { directory: '/kept', kept: true, minutes: 10, sabotage: undefined },
  });
  expect(lines.slice(2, 7).join('\n')).toMatchInlineSnapshot(`
    "
      Pull request  http://127.0.0.1:8480/acme/shop/pull/13
      Proof         R-1 change  fails before, passes now, fails without the change: open only
                    R-3 metric  measured 12.5, wanted p95_ms ≤ 100 ms
      Cost          7 model calls, 41,200 tokens, 0.31 of 3 USD; 1 call outside BUILD"
  `);
});
