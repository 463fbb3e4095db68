/** The check run that is red until a repository has all that a loop needs, and the comment that says so on its pull request. Pure. */
import { code, fenced, fitted, list, table } from '../documents/markdown.ts';
import type { CheckRun } from '../loop/check-run.ts';
import type { ModelVerdict } from '../onboarding/model.ts';
import { type Onboarding, PREVIEW_BUTTON, SETUP_CHECK, setupId } from '../onboarding/onboarding.ts';
import type { TrialReport, TrialStep } from '../onboarding/trial.ts';
import { isReady, type TrialVerdict } from '../onboarding/verdict.ts';

/** Something that is missing, and the page on which a person can add it. */
export interface ShownGap {
  readonly sentence: string;
  readonly link?: string | undefined;
}

type Facts = Pick<CheckRun, 'status' | 'conclusion' | 'title' | 'summary'>;

function check(onboarding: Onboarding, headSha: string, facts: Facts): CheckRun {
  return {
    ...{ name: SETUP_CHECK, headSha, externalId: setupId(onboarding) },
    ...{ text: '', actions: onboarding.pull === undefined ? [] : [PREVIEW], annotations: [], ...facts },
  };
}

/** It is said on the pull request, and costs something. */
const PREVIEW = {
  label: 'Preview questions',
  description: 'Asks the model once, about one issue',
  identifier: PREVIEW_BUTTON,
};

const NEXT = 'It is looked at again with each push; the button **Re-run** of this check looks at once.';

/** While something is missing. */
export function gapsCheck(onboarding: Onboarding, headSha: string, gaps: readonly ShownGap[]): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: 'failure',
    title: gaps.length === 1 ? 'One thing is missing' : `${gaps.length} things are missing`,
    summary: fitted([{ text: 'No loop starts here until this is mended:' }, { text: gapList(gaps) }, { text: NEXT }]),
  });
}

/** One line each, with the page on which it is done. */
export function gapList(gaps: readonly ShownGap[]): string {
  return list(gaps.map(shown), '');
}

function shown({ sentence, link }: ShownGap): string {
  return link === undefined ? sentence : `${sentence} [Add it](${link}): the page has its text already.`;
}

/** On the pull request, once merging it brings all; `advice` is what is better done besides, a paragraph each. */
export function completeCheck(onboarding: Onboarding, headSha: string, advice: readonly string[]): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: 'success',
    title: 'All is here: merge it to begin',
    summary: [
      'With this pull request the default branch has all that a loop needs. Once it is merged, the base is tried in a run: installed, built, and tested twice.',
      ...advice,
    ].join('\n\n'),
  });
}

/** On the pull request, once the default branch has all in another way. */
export function unneededCheck(onboarding: Onboarding, headSha: string): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: 'neutral',
    title: 'Nothing of this is missing any more',
    summary:
      'The default branch has all that a loop needs; how far it is stands in the check on its commits. Close this pull request, or merge what you want of it.',
  });
}

/** While the run of the trial is awaited. */
export function tryingCheck(onboarding: Onboarding, headSha: string): CheckRun {
  return check(onboarding, headSha, {
    status: 'in_progress',
    conclusion: undefined,
    title: 'Trying the base: install, build, tests twice',
    summary: 'What came of it comes here when the run of `loopwright-verify` ends. No model takes part in that run.',
  });
}

/** What the trial came to. */
export function trialCheck(onboarding: Onboarding, headSha: string, told: ToldTrial): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: isReady(told.verdict, told.model?.verdict) ? 'success' : 'failure',
    title: titleOf(told),
    summary: trialText(told),
  });
}

/** Where GitHub let nothing be proposed. */
export function refusedCheck(onboarding: Onboarding, headSha: string, reason: string): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: 'action_required',
    title: 'The set-up could not be proposed',
    summary: `${fenced('', reason)}\n\nWhen that is mended, press **Re-run** on this check, or push to the default branch.`,
  });
}

/** Where nothing was tried: that is never green. */
export function untriedCheck(onboarding: Onboarding, headSha: string, reason: string): CheckRun {
  return check(onboarding, headSha, {
    status: 'completed',
    conclusion: 'action_required',
    title: 'The base could not be tried',
    summary: untriedText(reason),
  });
}

/** What one question to the App's model came to. */
export interface ToldModel {
  readonly name: string;
  readonly verdict: ModelVerdict;
}

export interface ToldTrial {
  readonly verdict: TrialVerdict;
  /** Undefined where it was asked nothing, because its answers are authored. */
  readonly model: ToldModel | undefined;
  readonly steps: NonNullable<TrialReport['steps']>;
  readonly sandbox: TrialReport['sandbox'];
  /** What is better done besides, a paragraph each. */
  readonly advice: readonly string[];
  /** When it is tried again. */
  readonly again: string;
}

/** Without Markdown. */
function titleOf({ verdict, model }: ToldTrial): string {
  const against = model?.verdict.against;
  if (against === undefined) return verdict.title;
  return verdict.isGreen ? `The model ${against}` : `${verdict.title}; and the model ${against}`;
}

export function trialText(told: ToldTrial): string {
  const { verdict, model, steps, sandbox, advice, again } = told;
  const failed = steps.find(({ outcome, said }) => outcome === 'failed' && said !== '');
  const ofModel = model === undefined ? [] : [{ text: modelText(model) }];
  const isAgainst = model?.verdict.against !== undefined;
  return fitted([
    { text: `**${titleOf(told)}.**${verdict.isGreen ? '' : ` ${verdict.remedy} ${again}`}` },
    ...(isAgainst ? ofModel : []),
    { text: table(['step', 'came to', 'seconds', 'says'], steps.map(rowOf)) },
    ...(failed === undefined
      ? []
      : [{ name: 'the output', text: `${NAMES[failed.step]}:\n\n${fenced('', failed.said)}` }]),
    { text: `The base was tried in the sandbox (${sandbox}), and without a model.` },
    ...(isAgainst ? [] : ofModel),
    ...(verdict.isGreen && !isAgainst ? [{ text: BEGIN }] : []),
    ...advice.map((text) => ({ text })),
  ]);
}

const BEGIN =
  'What comes next: somebody with write permission sets the label `loop` on an issue. Where the repository has no such label yet, the box for labels on the issue makes it.';

/** What keeps nobody from beginning is said as advice is. */
function modelText({ name, verdict: { against, findings } }: ToldModel): string {
  const said = findings.map(({ sentence, remedy = '' }) => `${sentence} ${remedy}`.trimEnd()).join(' ');
  const asked = `model ${code(name)} was asked one question. ${said}`;
  if (against !== undefined)
    return `The ${asked} Whoever runs the App does that, and starts it anew where a variable changed; then press **Re-run** on the check ${code(SETUP_CHECK)}.`;
  if (findings.every(({ state }) => state === 'ok')) return `The ${asked}`;
  return `Besides: the ${asked} **Re-run** on the check ${code(SETUP_CHECK)} asks it again.`;
}

export function untriedText(reason: string): string {
  return `Nothing is known about the base.\n\n${fenced('', reason)}\n\nWhen that is mended, press **Re-run** on the check, or push to the default branch.`;
}

const NAMES: Readonly<Record<TrialStep['step'], string>> = {
  install: '`commands.install`',
  build: '`commands.build`',
  suite: '`commands.test`',
  'suite again': '`commands.test`, once more',
  runner: 'single tests',
};

const OUTCOMES: Readonly<Record<TrialStep['outcome'], string>> = {
  passed: '✓ passed',
  failed: '✗ failed',
  none: 'there is none',
  'not tried': 'not tried',
};

function rowOf({ step, outcome, seconds, said }: TrialStep): readonly string[] {
  const isTried = outcome === 'passed' || outcome === 'failed';
  const says = outcome === 'passed' && said !== '' ? code(said) : '';
  return [NAMES[step], OUTCOMES[outcome], isTried ? seconds.toFixed(1) : '', says];
}
