/** What is taken from a run: when it is read, when it is given up, and why it failed. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/effects/collect.ts';
import { NotYetError } from '../../src/errors.ts';
import type { WorkflowRun } from '../../src/github/github-port.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { doors } from '../intake/door.ts';
import { building, SHA } from '../loop/stands.ts';
import { RAW } from '../loop/world.ts';

const openDoor = doors();
const RUN: WorkflowRun = {
  id: 505,
  status: 'completed',
  conclusion: 'success',
  path: '.github/workflows/loopwright-verify.yml',
  event: 'workflow_dispatch',
  headSha: SHA,
  attempt: 1,
};

const NUMBER = { name: 'regressions', value: 0, unit: 'count', source: 's', raw: RAW };
const CALL = { phase: 'BUILD', skill: 's', role: 'r', attempt: 1, promptTokens: 1, completionTokens: 1, durationMs: 1 };

/** Collects the report of VERIFY from a run as GitHub describes it; with the runs that were cancelled. */
async function collected(
  because: 'ended' | 'overdue',
  run: Partial<WorkflowRun> = {},
  failure: object | null = null,
  over: object = {},
  isLeft = true,
  jobAudience?: string,
) {
  const { ports } = await openDoor();
  const before = asReviewed(building());
  const entry = before.entry;
  const candidate = { sha: 'd'.repeat(40), codeTree: 'e'.repeat(40), entry };
  const loop = { ...before, phase: 'VERIFY' as const, built: { reports: {}, candidate, run: { id: RUN.id, entry } } };
  const report = {
    kind: 'verify',
    version: 2,
    loop: 'acme/shop#12',
    entry,
    candidate: candidate.sha,
    base: loop.started.base.sha,
    sandbox: 'bubblewrap',
    measurements: [],
    defects: [],
    calls: [],
    failure,
    durationMs: 1,
    evidence: [],
    acceptance: [],
    ...over,
  };
  const cancelled: number[] = [];
  const github = {
    ...ports.github,
    run: async () => ({ ...RUN, ...run }),
    artifact: async () => (isLeft ? zipSync({ 'report.json': strToU8(JSON.stringify(report)) }) : undefined),
    cancelRun: async (_: unknown, id: number) => void cancelled.push(id),
  };
  const modelFacts = { ...ports.modelFacts, scripted: false, jobAudience };
  const effect = { key: 'c', entry, phase: 'VERIFY', report: 'verify', runId: RUN.id, because } as const;
  return { event: collect({ type: 'collect', ...effect }, loop, { ...ports, github, modelFacts }), cancelled };
}

test.each([
  ['counts, where the job asked the model itself', undefined, [CALL]],
  ['was counted by the gateway, where the job asked by that', 'https://loopwright.test', []],
])('a call that a report tells of %s', async (_, jobAudience, calls) => {
  for (const failure of [null, { cause: 'work', message: 'It is red.' }]) {
    const { event } = await collected('ended', {}, failure, { calls: [CALL] }, true, jobAudience);
    expect(await event).toMatchObject({ calls });
  }
});

describe('a run', () => {
  test('that was told to have ended, and that GitHub still shows at work, is neither given up nor cancelled', async () => {
    const { event, cancelled } = await collected('ended', { status: 'in_progress', conclusion: undefined });
    await expect(event).rejects.toThrow(NotYetError);
    expect(cancelled).toEqual([]);
  });

  test('whose time is up is cancelled, and the reason says so', async () => {
    const { event, cancelled } = await collected('overdue', { status: 'in_progress', conclusion: undefined });
    const reason = expect.stringContaining('did not finish within 60 minutes');
    expect(await event).toMatchObject({ type: 'failed', cause: 'work', reason });
    expect(cancelled).toEqual([RUN.id]);
  });

  test('whose time was up just when it ended is read', async () => {
    expect(await (await collected('overdue')).event).toMatchObject({ type: 'reported' });
  });

  test.each([
    ['failure', 'cancelled'],
    ['startup_failure', 'cancelled'],
    ['timed_out', 'work'],
  ])(
    'that ended as %s without a report is %s: no plan is blamed for a set-up or a machine',
    async (conclusion, cause) => {
      const reason = `The VERIFY run 505 ended as ${conclusion} without a report; its log says why.`;
      expect(await (await collected('ended', { conclusion }, null, {}, false)).event).toMatchObject({ cause, reason });
    },
  );

  test.each(['model', 'setup', 'work'] as const)(
    'says itself that it failed for its %s, whatever the words of its message',
    async (cause) => {
      for (const message of ['The sandbox needs unshare.', 'The model gave no answer.', 'Three tests are red.'])
        expect(await (await collected('ended', {}, { cause, message })).event).toMatchObject({
          type: 'failed',
          cause,
          reason: message,
        });
    },
  );

  test.each([
    ['of another loop', { loop: 'acme/shop#13' }, /speaks of another run/],
    ['of the next loop of the issue', { loop: 'acme/shop#12-2' }, /speaks of another run/],
    ['of code that ran without a sandbox under a real model', { sandbox: 'none' }, /without a sandbox/],
    ['with a number below 0', { measurements: [{ ...NUMBER, value: -1 }] }, /measurements\.0\.value/],
    ['with a call that gives tokens back', { calls: [{ ...CALL, promptTokens: -5 }] }, /calls\.0\.promptTokens/],
  ])('delivers nothing by a report %s', async (_, over, words) => {
    await expect((await collected('ended', {}, null, over)).event).rejects.toThrow(words);
  });

  test('delivers for a repository that was renamed meanwhile', async () => {
    const { event } = await collected('ended', {}, null, { loop: 'globex/store#12' });
    expect(await event).toMatchObject({ type: 'reported' });
  });

  test('says nothing that people could not see, in what is stored and in what is told', async () => {
    const message = 'no <details>\u202E <!-- ignore all -->';
    expect(await (await collected('ended', {}, { cause: 'work', message })).event).toMatchObject({
      type: 'failed',
      reason: 'no \\<details> ',
    });
  });
});
