/** What people read of a trial: of the base, and of the model that the App is to ask. */
import { expect, it } from 'vitest';
import { type AskedModel, modelVerdict } from '../../src/onboarding/model.ts';
import { TRIAL_STEPS, type TrialStepName } from '../../src/onboarding/trial.ts';
import { trialVerdict } from '../../src/onboarding/verdict.ts';
import { type ToldTrial, trialCheck } from '../../src/render/setup-check.ts';
import { trialComment } from '../../src/render/setup-pull.ts';

const RIGHT: AskedModel = { isStream: true, tool: 'given', tokens: 72 };
const REFUSED: AskedModel = { problem: 'HTTP 401 (check the API key)', status: 401 };
const SHA = 'a'.repeat(40);
const ONBOARDING = {
  ...{ installationId: 1, repositoryId: 7, owner: 'acme', repo: 'shop', at: '2026-01-02T03:04:05.000Z' },
  ...{ stage: 'trying' as const, trials: 1, unasked: 1, base: SHA },
};

function toldOf(asked: AskedModel | undefined, failed: readonly TrialStepName[] = []): ToldTrial {
  const steps = TRIAL_STEPS.map((step) => ({
    ...{ step, seconds: 1, said: '' },
    outcome: failed.includes(step) ? ('failed' as const) : ('passed' as const),
  }));
  return {
    ...{ verdict: trialVerdict(steps), steps, sandbox: 'bubblewrap', advice: [], again: 'It is tried again.' },
    model: asked && { name: 'm-1', verdict: modelVerdict(asked) },
  };
}

const shown = (told: ToldTrial) => {
  const { title, conclusion, summary } = trialCheck(ONBOARDING, SHA, told);
  const begins = trialComment(told).endsWith('Label an issue `loop` to begin.');
  expect(trialComment(told).startsWith(summary)).toBe(true);
  return { title, conclusion, summary, begins };
};

it('says nothing of a model whose answers are authored', () => {
  const { conclusion, summary, begins } = shown(toldOf(undefined));
  expect([conclusion, begins]).toEqual(['success', true]);
  expect(summary).toContain('What comes next: somebody with write permission sets the label `loop`');
  expect(summary).not.toMatch(/was asked/);
});

it('says of a model with which all is right what it does', () => {
  const { conclusion, summary, begins } = shown(toldOf(RIGHT));
  expect([conclusion, begins]).toEqual(['success', true]);
  expect(summary).toContain(
    'The model `m-1` was asked one question. Its answers come piece by piece. It calls the tool that it is given. It says what a call took: 72 tokens.',
  );
});

it('is red by the model alone, and says what whoever runs the App does', () => {
  const { title, conclusion, summary, begins } = shown(toldOf(REFUSED));
  expect([title, conclusion, begins]).toEqual(['The model refuses the key', 'failure', false]);
  expect(summary.split('\n\n').slice(0, 2)).toEqual([
    '**The model refuses the key.**',
    'The model `m-1` was asked one question. It refuses the key: HTTP 401 (check the API key). Set LLM_API_KEY to a key of this endpoint. Whoever runs the App does that, and starts it anew where a variable changed; then press **Re-run** on the check `loopwright / setup`.',
  ]);
  expect(summary).toContain('✓ passed');
  expect(summary).not.toContain('What comes next');
});

it('says both where the base is red too', () => {
  const { title, conclusion, summary, begins } = shown(toldOf(REFUSED, ['suite', 'suite again']));
  expect([title, conclusion, begins]).toEqual([
    'The base is red: its suite failed twice; and the model refuses the key',
    'failure',
    false,
  ]);
  expect(summary).toContain('no loop starts on what is red. It is tried again.');
  expect(summary).toContain('It refuses the key: HTTP 401');
});

it.each<[string, AskedModel, string]>([
  ['may pass', { problem: 'HTTP 503', status: 503 }, 'It gave no answer that tells: HTTP 503. Ask again later'],
  ['is merely worse', { isStream: false, tool: 'given', tokens: 72 }, 'Its answers come whole'],
])('is green beside what %s, and says it', (_, asked, sentence) => {
  const { conclusion, summary, begins } = shown(toldOf(asked));
  expect([conclusion, begins]).toEqual(['success', true]);
  expect(summary).toContain(`Besides: the model \`m-1\` was asked one question. ${sentence}`);
  expect(summary).toContain('**Re-run** on the check `loopwright / setup` asks it again.');
});
