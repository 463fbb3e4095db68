/** What becomes of a loop that has used up what it was given: money, tokens or minutes. Pure. */
import { isEmpty, purseOf, tokensOf } from './costs.ts';
import type { EventOf } from './event.ts';
import type { Decision, Loop, Started } from './loop.ts';
import { PHASES } from './phases.ts';
import type { StartedLoop } from './stages.ts';

const MS_PER_MINUTE = 60_000;

/** Something that a loop may use up. */
interface Means {
  readonly unit: 'usd' | 'tokens' | 'minutes';
  /** As `/budget +<amount>` takes it: below a million USD to the cent, whole tokens, whole minutes. */
  readonly amount: RegExp;
  readonly isUsedUp: (loop: Loop) => boolean;
  /** What is used up, as a clause for people. */
  readonly clause: (loop: StartedLoop) => string;
  readonly named: (limit: number) => string;
}

const USD: Means = {
  unit: 'usd',
  amount: /^\+(\d{1,6}(?:\.\d{1,2})?)(?: usd)?$/i,
  isUsedUp: (loop) => isEmpty(purseWith(loop, 'money')),
  clause: ({ started, spent }) =>
    `the budget of ${started.limits.usd} USD is used up (${spent.usd.toFixed(2)} USD spent)`,
  named: (limit) => `the budget to ${limit} USD`,
};

const MEANS: readonly Means[] = [
  USD,
  {
    unit: 'tokens',
    amount: /^\+(\d{1,9}) tokens$/i,
    isUsedUp: (loop) => isEmpty(purseWith(loop, 'tokens')),
    clause: ({ started, spent }) =>
      `the goal's ${started.limits.tokens} tokens are used up (${tokensOf(spent)} were used)`,
    named: (limit) => `the goal's limit to ${limit} tokens`,
  },
  {
    unit: 'minutes',
    amount: /^\+(\d{1,5}) minutes$/i,
    isUsedUp: (loop) => minutesOf(loop) >= (loop.started?.limits.minutes ?? Number.POSITIVE_INFINITY),
    clause: (loop) =>
      `the goal's ${loop.started.limits.minutes} minutes of work are used up (${Math.round(minutesOf(loop))} were worked)`,
    named: (limit) => `the goal's limit to ${limit} minutes of work`,
  },
];

function purseWith(loop: Loop, part: 'money' | 'tokens'): ReturnType<typeof purseOf> {
  const given = purseOf(loop);
  return given?.[part] === undefined ? undefined : { [part]: given[part] };
}

/** Minutes of work until the loop's entry began; while it waits for people, all of them. */
function minutesOf({ worked, entryStartedAt }: Loop): number {
  return (worked === undefined ? 0 : worked.ms + msSince(worked.since, entryStartedAt)) / MS_PER_MINUTE;
}

/** Clocks that go back count nothing. */
function msSince(since: string | undefined, at: string): number {
  return since === undefined ? 0 : Math.max(0, Date.parse(at) - Date.parse(since));
}

/** The loop with its time of work, where that is limited: it runs while the loop works, never while a person or a right of the App is waited for. */
export function timed(loop: Loop, at: string): Loop {
  if (loop.started?.limits.minutes === undefined) return loop;
  const { ms, since } = loop.worked ?? { ms: 0 };
  if (loop.status === 'working' && loop.withheld === undefined) return { ...loop, worked: { ms, since: since ?? at } };
  return { ...loop, worked: { ms: ms + msSince(since, at) } };
}

/** Whether the loop is in a phase that asks a model, and something that it needs for it is used up. */
export function isShort(loop: Loop): boolean {
  const { work, job } = PHASES[loop.phase];
  return (work === 'draft' || job === 'build') && !hasMeans(loop);
}

/** Whether nothing that it needs to ask a model is used up. */
export function hasMeans(loop: Loop): boolean {
  return usedUp(loop) === undefined;
}

/** Whether it was paused because something was used up, and that still is. */
export function isUnpaid(loop: Loop): boolean {
  return loop.pausedFor === 'budget' && usedUp(loop) !== undefined;
}

function usedUp(loop: Loop): Means | undefined {
  return MEANS.find(({ isUsedUp }) => isUsedUp(loop));
}

/** The loop waits with what it has, and its starter is told how it goes on. */
export function shortened({ loop, effects }: Decision & { readonly loop: StartedLoop }): Decision {
  const sentence = shortSentence(loop);
  const by = loop.started.by.login;
  const reply = {
    type: 'reply',
    key: `${loop.entry}/${loop.seq}/short/reply`,
    target: loop.review === undefined ? 'issue' : 'pull',
    text: `@${by}, ${sentence}`,
    mention: by,
  } as const;
  const paused: Loop = {
    ...loop,
    status: 'paused',
    pausedFrom: 'working',
    pausedFor: 'budget',
    note: sentence.replace(/^./, (first) => first.toUpperCase()),
  };
  return { loop: paused, effects: [...effects, reply] };
}

/** What people are told while nothing is left. */
export function shortSentence(loop: StartedLoop): string {
  const { unit, clause } = usedUp(loop) ?? USD;
  const amount = unit === 'usd' ? '+<usd>' : `+<number> ${unit}`;
  return `${clause(loop)}, so ${loop.phase} waits; \`/budget ${amount}\` goes on where it is, \`/stop\` ends the loop.`;
}

/** The loop with more of what `/budget` names, or one sentence that says why not. */
export function raisedBy(
  loop: StartedLoop,
  { argument }: Pick<EventOf<'commanded'>, 'argument'>,
): { readonly loop: StartedLoop; readonly what: string } | string {
  const means = MEANS.find(({ amount }) => Number(amount.exec(argument)?.[1]) > 0);
  if (means === undefined)
    return 'Say by how many USD, below a million and to the cent: `/budget +2`; or, where the goal limits them, `/budget +50000 tokens` or `/budget +30 minutes`.';
  const { unit, amount, named } = means;
  const before = loop.started.limits[unit];
  if (before === undefined) return `The goal of this loop sets no limit of ${unit}, so there is none to raise.`;
  // To a millionth, so that a sum of cents is one.
  const limit = Math.round((before + Number(amount.exec(argument)?.[1])) * 1e6) / 1e6;
  const limits: Started['limits'] = { ...loop.started.limits, [unit]: limit };
  return { loop: { ...loop, started: { ...loop.started, limits } }, what: named(limit) };
}
