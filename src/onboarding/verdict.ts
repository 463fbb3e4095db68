/** What a trial came to, in one sentence with the remedy. Pure. */
import type { ModelVerdict } from './model.ts';
import type { TrialReport, TrialStep, TrialStepName } from './trial.ts';

export interface TrialVerdict {
  /** Only where every step passed, or there was nothing to do in it. */
  readonly isGreen: boolean;
  /** For a title: without Markdown. */
  readonly title: string;
  /** What to do; empty where it is green. */
  readonly remedy: string;
}

type Steps = NonNullable<TrialReport['steps']>;

/** The first that fits is told. */
const TROUBLES: readonly (readonly [isSo: (of: Of) => boolean, title: string, remedy: string])[] = [
  [
    (of) => of('install') === 'failed',
    'The base does not install',
    'See what its end says; the sandbox has no network, so what is downloaded comes from `.github/actions/loopwright-setup`, or from `commands.hosts`.',
  ],
  [(of) => of('build') === 'failed', 'The base does not build', 'Mend the default branch, or `commands.build`.'],
  [
    (of) => of('suite') !== of('suite again'),
    'The base is flaky: its suite passed once and failed once',
    'Mend the test that differs: a loop would take its luck for its work.',
  ],
  [
    (of) => of('suite') === 'failed',
    'The base is red: its suite failed twice',
    'Mend the default branch, or `commands.test`: no loop starts on what is red.',
  ],
  [
    (of) => of('runner') === 'failed',
    'No single test was seen to pass',
    'Name the runner that the repository has in `commands.runner`.',
  ],
];

type Of = (name: TrialStepName) => TrialStep['outcome'] | undefined;

/** What is not there is never green. */
export function trialVerdict(steps: Steps): TrialVerdict {
  const of: Of = (name) => steps.find(({ step }) => step === name)?.outcome;
  const [, title, remedy] = TROUBLES.find(([isSo]) => isSo(of)) ?? [];
  if (title !== undefined) return { isGreen: false, title, remedy: remedy ?? '' };
  const tested = (['suite', 'suite again', 'runner'] as const).every((name) => of(name) === 'passed');
  const made = (['install', 'build'] as const).every((name) => of(name) === 'passed' || of(name) === 'none');
  return tested && made
    ? { isGreen: true, title: `All is there: ${greenText(of)}`, remedy: '' }
    : { isGreen: false, title: 'The trial of the base is not whole', remedy: 'See what its run says.' };
}

/** Only where the base is green, and nothing speaks against the model; of one whose answers are authored there is no verdict. */
export function isReady(base: TrialVerdict, model: ModelVerdict | undefined): boolean {
  return base.isGreen && model?.against === undefined;
}

/** What there is nothing of is not said to work. */
function greenText(of: Of): string {
  const made = [...(of('install') === 'passed' ? ['installs'] : []), ...(of('build') === 'passed' ? ['builds'] : [])];
  return made.length === 0
    ? "the base's tests are green twice"
    : `the base ${made.join(', ')}, and its tests are green twice`;
}
