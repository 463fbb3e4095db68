/** Whether a neutral check satisfies a rule that requires it: where it does, where it does not, and where that cannot be seen. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { HERE } from '../local/server.ts';
import { json, type ProbeStage, requiring, startProbeStage } from './stage.ts';

let stage: ProbeStage;
beforeAll(async () => {
  stage = await startProbeStage();
});
afterAll(() => stage.close());
afterEach(async () => {
  await stage.local('PATCH', '/switches', { neutralPasses: true, mergeableAfterMs: 0 });
  await stage.arrange();
});

type Options = NonNullable<Parameters<ProbeStage['probed']>[1]>;

/** The one row, with nothing left behind, and a remedy where it is not ok. */
async function row(options: Options = {}) {
  const { rows, left } = await stage.probed(['neutral'], { patienceMs: 300, ...options });
  expect([left, await stage.leftovers()]).toEqual([[], ['main']]);
  const [one] = rows;
  if (one?.state !== 'ok') expect(one?.remedy).toBeTruthy();
  return one;
}

/** What GitHub says of every pull request, as long as it is not changed by what is to be said next. */
const told = (...states: readonly string[]) => {
  let asked = 0;
  return json(
    (body: object) => {
      const state = states[Math.min(asked, states.length - 1)];
      asked += 1;
      return { ...body, mergeable_state: state };
    },
    (path) => /\/pulls\/\d+$/.test(path),
  );
};

test('a neutral check that lets the pull request pass is seen, also where GitHub tells it late', async () => {
  await stage.local('PATCH', '/switches', { mergeableAfterMs: 1000 });
  expect(await row({ patienceMs: 1500 })).toEqual({
    area: 'required checks',
    subject: 'neutral',
    state: 'ok',
    sentence: expect.stringMatching(
      /^Pull request #\d+ was blocked with loopwright \/ evidence in progress, and clean with it neutral\.$/,
    ),
  });
});

test('all checks of ours that are required are neutral together, and one that is unstable besides passes too', async () => {
  await stage.arrange({ branchRules: requiring(['loopwright / evidence', 'loopwright / plan']) });
  expect(await row({ tampering: told('blocked', 'unstable') })).toMatchObject({
    state: 'ok',
    sentence: expect.stringMatching(
      /blocked with loopwright \/ evidence and loopwright \/ plan in progress, and unstable with them neutral\.$/,
    ),
  });
  expect(await row()).toMatchObject({ state: 'ok' });
});

test('what stays is a closed pull request with a neutral check, which nobody merged', async () => {
  await row();
  const { rest } = stage.as('alice');
  const { data } = await rest.pulls.list({ ...HERE, state: 'closed', sort: 'created', direction: 'desc' });
  const { data: checks } = await rest.checks.listForRef({ ...HERE, ref: data[0]?.head.sha ?? '' });
  const ours = checks.check_runs.filter(({ name }) => name.startsWith('loopwright'));
  expect(ours.map(({ name, conclusion }) => [name, conclusion])).toEqual([['loopwright / evidence', 'neutral']]);
  expect(data[0]).toMatchObject({ draft: false, merged_at: null, base: { ref: expect.stringMatching(/-required-/) } });
});

test('the checks are at work before the pull request is opened, so that an App which runs adds none', async () => {
  const written: string[] = [];
  await row({
    tampering: (answer, { method, url }) => {
      const [, what] = /\/(pulls|check-runs|graphql)$/.exec(url) ?? [];
      if (method === 'POST' && what !== undefined) written.push(what === 'pulls' ? 'pull request' : 'checks');
      return answer;
    },
  });
  expect(written.slice(0, 3)).toEqual(['checks', 'checks', 'pull request']);
});

test('a neutral check that keeps the pull request blocked, as a success does not, is told', async () => {
  await stage.local('PATCH', '/switches', { neutralPasses: false });
  expect(await row()).toMatchObject({
    state: 'wrong',
    sentence: expect.stringMatching(
      /^Pull request #\d+ stayed blocked with loopwright \/ evidence neutral, and was clean with it a success\.$/,
    ),
    remedy: expect.stringContaining('Require no check of ours'),
  });
});

test('without a rule that requires a check of ours nothing is known, and the remedy says which ruleset to make', async () => {
  for (const branchRules of [null, requiring(['ci'])]) {
    await stage.arrange({ branchRules });
    expect(await row()).toMatchObject({
      state: 'unknown',
      sentence: expect.stringMatching(/^No rule requires a check of ours of loopwright\/probe-required-/),
      remedy: expect.stringContaining('for `loopwright/probe-required-**` that requires `loopwright / evidence`'),
    });
  }
});

test('a pull request that something else blocks too shows nothing of neutral checks', async () => {
  await stage.arrange({ branchRules: requiring(['loopwright / evidence', 'ci'], false) });
  expect(await row()).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(
      /^Pull request #\d+ was blocked with loopwright \/ evidence in progress, blocked with it neutral, and blocked with it a success: something else is in its way\.$/,
    ),
    remedy: expect.stringContaining('nothing else'),
  });
});

test('a branch that its rules let nobody make shows nothing either, and the refusal is quoted', async () => {
  await stage.arrange({ restricted: 'loopwright/probe-required-' });
  expect(await row()).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^loopwright\/probe-required-\S+ could not be made: .*creations being restricted/),
    remedy: expect.stringContaining('nothing else'),
  });
});

test.each([
  [
    'a pull request that the missing check does not block',
    ['clean'],
    /^Pull request #\d+ was clean, and not blocked, with loopwright \/ evidence in progress\.$/,
    'bypass list',
  ],
  [
    'a GitHub that never says whether it is blocked',
    ['unknown'],
    /^GitHub did not tell within 1 s how pull request #\d+ stands with loopwright \/ evidence in progress\.$/,
    '--wait',
  ],
  [
    'a GitHub that no longer says it once the check is neutral',
    ['blocked', 'unknown'],
    /^GitHub did not tell within 1 s how pull request #\d+ stands with loopwright \/ evidence neutral\.$/,
    '--wait',
  ],
] as const)('%s shows nothing of neutral checks', async (_, states, sentence, remedy) => {
  expect(await row({ patienceMs: 600, tampering: told(...states) })).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(sentence),
    remedy: expect.stringContaining(remedy),
  });
});
