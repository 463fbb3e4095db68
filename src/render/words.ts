/** The sentences that every text about a loop shares: where it is, what happens next, what it has cost. */
import { grouped } from '../documents/markdown.ts';
import { advanceClause } from '../loop/behind.ts';
import type { EntryRecord, Loop, Verdict } from '../loop/loop.ts';
import { LIMITS } from '../loop/phases.ts';
import { rerunSentence } from '../loop/reruns.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { PhaseName } from '../loop/terms.ts';

/** What a text must say about the model that worked. */
export interface ModelFacts {
  readonly name: string;
  readonly scripted: boolean;
}

/** The first lines of the board: what is not real or not contained is said before anything else. */
export function warningsOf(loop: Loop, model: ModelFacts): readonly string[] {
  return [
    ...withheldNote(loop),
    ...scriptedNote(model),
    ...(loop.built.sandbox === 'none'
      ? ['> **Sandbox: none.** Generated code ran without a sandbox on this machine.']
      : []),
    ...outdatedNote(loop),
  ];
}

/** What the App may not do people must know first: it is theirs to give back. */
function withheldNote({ withheld }: Loop): readonly string[] {
  return withheld === undefined ? [] : [`> **Waiting.** ${withheld.reason} Then it goes on by itself.`];
}

/** What was proved holds for the base as it was. */
function outdatedNote({ started, shipping }: Loop): readonly string[] {
  if (started === undefined || shipping?.outdated === undefined) return [];
  const { base, branch } = started;
  const { outdated } = shipping;
  const remedy =
    outdated.forPeople === true
      ? `It changed workflow files too, which only people may merge: merge ${base.branch} into ${branch} and say \`/rerun\`.`
      : `\`/rerun VERIFY\` merges ${base.branch} and proves everything again.`;
  return [
    `> **Proved on an older base.** ${advanceClause(outdated)}, so the evidence is for ${base.branch} at ${base.sha.slice(0, 7)} and void for what a merge makes of it now. ${remedy}`,
  ];
}

/** The line that labels what a scripted model said, wherever it shows. */
export function scriptedNote({ name, scripted }: ModelFacts): readonly string[] {
  return scripted
    ? [`> **Scripted model.** \`${name}\` gives authored answers for a demonstration; nothing was reasoned here.`]
    : [];
}

/** What the loop does in a phase, as a sentence in the present. */
const AT_WORK: Readonly<Record<PhaseName, string>> = {
  DISCOVER: 'Reading the issue and the repository.',
  DEFINE: 'Writing the specification.',
  PLAN: 'Planning the work.',
  ARCH_REVIEW: 'Posting the packet for review.',
  BUILD: 'Building in GitHub Actions: tests first, then the code.',
  SEED_DATA: 'Checking the seed data.',
  VERIFY: 'Judging the candidate in GitHub Actions.',
  SHIP: "Preparing the result and waiting for the repository's own checks.",
  REFLECT: 'Looking back at what this loop taught.',
};

const WAITING: Readonly<Record<Exclude<NonNullable<Loop['waitingFor']>, 'rerun'>, string>> = {
  answers: 'Waiting for answers to the questions on the issue.',
  approval: 'Waiting for a person: read the packet, then say `/approve` or `/reject <what to change>`.',
  release: 'Waiting for a person: `/release` moves the verified candidate onto the branch.',
};

/** One sentence: what happens now, or what somebody must do. */
export function nowOf(loop: Loop): string {
  switch (loop.status) {
    case 'idle':
      return 'Not started.';
    case 'queued':
      return 'Queued: as many loops are at work as may be; it goes on by itself when one of them ends or waits. `/priority` changes its place.';
    case 'working':
      return awaited(loop) ?? AT_WORK[loop.phase];
    case 'waiting':
      return waitingOf(loop);
    case 'paused':
      return loop.note === '' ? 'Paused; `/resume` goes on.' : loop.note;
    case 'stopped':
      return `Stopped, needs a person. ${loop.note}`.trim();
    case 'succeeded':
      return loop.note === ''
        ? 'All gates passed. The pull request is ready for review; a person merges it.'
        : loop.note;
  }
}

function waitingOf({ waitingFor, shipping }: Loop): string {
  if (waitingFor === undefined) return 'Waiting.';
  return waitingFor === 'rerun' ? `Waiting for a person: ${rerunSentence(shipping?.rerun ?? [])}` : WAITING[waitingFor];
}

/** At most so many checks are named in one sentence. */
const NAMED = 3;

/** Which of the repository's own checks are awaited, once one look found some. */
function awaited({ shipping }: Loop): string | undefined {
  const names = shipping?.waitsFor ?? [];
  if (names.length === 0) return undefined;
  const more = names.length - NAMED;
  const named = names.slice(0, NAMED).map((name) => `\`${name}\``);
  return `Waiting for the repository's own checks: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Cost so far, and the ceiling; an unknown price is never shown as zero. */
export function costOf({ spent, started: { limits, price } }: StartedLoop): string {
  const tokens = grouped(spent.promptTokens + spent.completionTokens);
  const money = price === undefined ? 'unknown price' : `${spent.usd.toFixed(2)} of ${limits.usd} USD`;
  const doubt =
    spent.estimated === undefined ? '' : ` (${spent.estimated} of them estimated, as the model states no tokens)`;
  return `${counted(spent.calls, 'model call')}${doubt}, ${tokens} tokens, ${money}`;
}

/** Where the counters stand. */
export function countsOf({ counters, started: { limits } }: StartedLoop): string {
  const iterations =
    counters.plans === 0 ? '' : `, iteration ${counters.iterations} of ${limits.iterations + counters.grants}`;
  return `review round ${Math.max(1, counters.rounds)} of ${LIMITS.rounds}${iterations}`;
}

/** Entries that came to a verdict: each is a try. One that was cut short, as by a runner that died, is none, and uses up no iteration. */
export function judgedOf(entries: readonly EntryRecord[]): readonly EntryRecord[] {
  return entries.filter(({ outcome }) => outcome !== 'cancelled');
}

/** The gates of one phase: their values, or what they will need while nothing is measured. A gate without a value never passes. */
export function gatesSentence(gates: readonly Verdict[]): string {
  if (gates.every(({ value }) => value === undefined))
    return gates.length === 0 ? '' : `needs ${gates.map(needOf).join(', ')}`;
  return gates.map(gateText).join('; ');
}

function needOf({ name, threshold, advisory }: Verdict): string {
  return `\`${name}\` ${thresholdText(threshold)}${advisory ? ' (blocks nothing)' : ''}`;
}

/** A passed comparison is its own reason; everything else says what it needs. Each stays on one line. */
function gateText({ name, value, threshold, passed, advisory }: Verdict): string {
  const needs = thresholdText(threshold);
  if (!passed && advisory) return `○ \`${name}\` ${valueText(value)} (wants ${needs})`.replaceAll(' ', '\u00A0');
  const reason = passed && /^[≥≤]/.test(needs) ? needs : `(needs ${needs})`;
  return `${passed ? '✓' : '✗'} \`${name}\` ${valueText(value)} ${reason}`.replaceAll(' ', '\u00A0');
}

export function valueText(value: number | undefined): string {
  return value === undefined ? 'not measured' : String(Math.round(value * 1000) / 1000);
}

export function thresholdText(threshold: string): string {
  return threshold.replace('>=', '≥').replace('<=', '≤');
}

/** The part of a digest that people compare by eye. */
export function shortDigest(digest: string | undefined): string {
  return digest === undefined ? 'none' : digest.replace('sha256:', '').slice(0, 12);
}

/** A number and its noun: `1 model call`, `2 model calls`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
