import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TRIAL_STEPS, type TrialStep, type TrialStepName } from '../../src/onboarding/trial.ts';
import { trialVerdict } from '../../src/onboarding/verdict.ts';

type Outcomes = Partial<Record<TrialStepName, TrialStep['outcome']>>;

function stepsOf(outcomes: Outcomes = {}): TrialStep[] {
  return TRIAL_STEPS.map((step) => ({ step, outcome: outcomes[step] ?? 'passed', seconds: 1, said: '' }));
}

describe('the verdict on a base', () => {
  it.each<[string, Outcomes, string]>([
    [
      'does not install',
      { install: 'failed', build: 'not tried', suite: 'not tried', 'suite again': 'not tried', runner: 'not tried' },
      'The base does not install',
    ],
    [
      'does not build',
      { build: 'failed', suite: 'not tried', 'suite again': 'not tried', runner: 'not tried' },
      'The base does not build',
    ],
    ['is red twice', { suite: 'failed', 'suite again': 'failed' }, 'The base is red: its suite failed twice'],
    [
      'is green once, then red',
      { 'suite again': 'failed' },
      'The base is flaky: its suite passed once and failed once',
    ],
    ['is red once, then green', { suite: 'failed' }, 'The base is flaky: its suite passed once and failed once'],
    ['has a runner that reads nothing', { runner: 'failed' }, 'No single test was seen to pass'],
  ])('that %s is red, with its sentence and a remedy', (_, outcomes, title) => {
    const verdict = trialVerdict(stepsOf(outcomes));
    expect(verdict).toMatchObject({ isGreen: false, title });
    expect(verdict.remedy).toMatch(/\.$/);
  });

  it.each<[string, Outcomes, string]>([
    ['all passed', {}, 'All is there: the base installs, builds, and its tests are green twice'],
    ['nothing is built', { build: 'none' }, 'All is there: the base installs, and its tests are green twice'],
    [
      'there is nothing but tests',
      { install: 'none', build: 'none' },
      "All is there: the base's tests are green twice",
    ],
  ])('is green where %s, and says so of what there is', (_, outcomes, title) => {
    expect(trialVerdict(stepsOf(outcomes))).toEqual({ isGreen: true, title, remedy: '' });
  });

  it('is green only where both suites and the runner passed, and nothing failed or was left out', () => {
    const outcome = fc.constantFrom<TrialStep['outcome']>('passed', 'failed', 'none', 'not tried');
    fc.assert(
      fc.property(fc.tuple(outcome, outcome, outcome, outcome, outcome), (outcomes) => {
        const steps = TRIAL_STEPS.map((step, index) => ({
          step,
          outcome: outcomes[index] ?? 'failed',
          seconds: 1,
          said: '',
        }));
        const [install, build, ...tests] = outcomes;
        const isMade = [install, build].every((one) => one === 'passed' || one === 'none');
        expect(trialVerdict(steps).isGreen).toBe(isMade && tests.every((one) => one === 'passed'));
      }),
    );
  });

  it('is never green where a step is missing', () => {
    for (const left of TRIAL_STEPS)
      expect(trialVerdict(stepsOf().filter(({ step }) => step !== left)).isGreen).toBe(false);
  });
});
