/** What becomes of a loop that has nothing left to spend. Pure. */
import { isEmpty, purseOf } from './costs.ts';
import type { Decision, Loop } from './loop.ts';
import { PHASES } from './phases.ts';

/** Whether the loop is in a phase that asks a model, and has nothing to pay it with. */
export function isShort(loop: Loop): boolean {
  const { work, job } = PHASES[loop.phase];
  return (work === 'draft' || job === 'build') && isEmpty(purseOf(loop));
}

/** Whether it was paused for want of money, and there still is none. */
export function isUnpaid(loop: Loop): boolean {
  return loop.pausedFor === 'budget' && isEmpty(purseOf(loop));
}

/** The loop waits with what it has, and its starter is told how it goes on. */
export function shortened({ loop, effects }: Decision): Decision {
  const sentence = shortSentence(loop);
  const by = loop.started?.by.login ?? '';
  const reply = {
    type: 'reply',
    key: `${loop.entry}/${loop.seq}/short/reply`,
    target: loop.review === undefined ? 'issue' : 'pull',
    text: `@${by}, ${sentence}`,
    mention: by,
  } as const;
  const paused: Loop = { ...loop, status: 'paused', pausedFrom: 'working', pausedFor: 'budget', note: sentence };
  return { loop: paused, effects: [...effects, reply] };
}

/** What people are told while nothing is left. */
export function shortSentence({ started, spent, phase }: Pick<Loop, 'started' | 'spent' | 'phase'>): string {
  return `the budget of ${started?.limits.usd ?? 0} USD is used up (${spent.usd.toFixed(2)} USD spent), so ${phase} waits; \`/budget +<usd>\` goes on where it is, \`/stop\` ends the loop.`;
}
