/** How people send work back: what they want different, where to, and what bounds it. Pure. */
import { defect } from '../defect.ts';
import type { Decision, Loop } from '../loop.ts';
import type { Defect } from '../measurement.ts';
import { FIRST, LIMITS, PHASES } from '../phases.ts';
import type { StartedLoop } from '../stages.ts';
import type { Actor, PhaseName } from '../terms.ts';
import { close, enter, nextRound, stop, withoutApproval } from '../walk.ts';

/** One thing that somebody wants different, and where it is, if that was said. */
export interface Point {
  readonly message: string;
  readonly file?: string | undefined;
  /** Of the file as the pull request has it. */
  readonly line?: number | undefined;
}

/** So many characters of all points together, and of one: every step reads them all. */
const MOST = { all: 20_000, one: 4000, points: 50 } as const;

/** Why so much is not taken, if so; nothing that a person wrote is cut off unseen. */
export function tooMuch(points: readonly Point[], before: readonly Defect[] = []): string | undefined {
  const count = points.length + before.length;
  if (count > MOST.points)
    return `That makes ${count} points, and every step reads them all; ${MOST.points} are the most, so nothing was sent back. Say the weightiest.`;
  const longest = Math.max(0, ...points.map(({ message }) => message.length));
  if (longest > MOST.one)
    return `One of the points has ${longest} characters; ${MOST.one} are the most, so nothing was sent back. Say it shorter, or put the text into a file of the repository and say where it is.`;
  const total = [...points, ...before].reduce((sum, { message }) => sum + message.length, 0);
  return total > MOST.all
    ? `Together that has ${total} characters, and every step reads them all; ${MOST.all} are the most, so nothing was sent back. Put the text into a file of the repository, and say where it is.`
    : undefined;
}

/** The points as the next step reads them; `about` keeps those of one rejection apart from those of another. */
export function defectsOf(points: readonly Point[], about: string): readonly Defect[] {
  return points.map(({ message, file, line }, index) =>
    defect({
      rule: 'rejected',
      about: index === 0 ? about : `${about}/${index}`,
      requirement: requirementOf(message),
      file,
      line,
      severity: 'major',
      message,
    }),
  );
}

/** Where a rejection leads: by the word before its first colon, else to where the phase says. The word is no part of the point. */
export function aimed(
  { phase }: Pick<Loop, 'phase'>,
  points: readonly Point[],
): { readonly to: PhaseName; readonly points: readonly Point[] } {
  const { back } = PHASES[phase];
  const [first, ...others] = points;
  const [, word = '', rest = ''] = /^(spec|plan):\s*([\s\S]+)$/i.exec(first?.message.trim() ?? '') ?? [];
  const trimmed = points.map((point) => ({ ...point, message: point.message.trim() }));
  if (first?.file !== undefined || word === '') return { to: back?.default ?? FIRST, points: trimmed };
  const to = word.toLowerCase() === 'plan' ? back?.plan : back?.spec;
  return { to: to ?? FIRST, points: [{ ...first, message: rest.trim() }, ...others] };
}

/** Sends the packet back; each rejection opens a review round, and those are bounded. */
export function reject(
  loop: StartedLoop,
  { by, at }: { readonly by: Actor; readonly at: string },
  said: readonly Point[],
): Decision {
  const { to, points } = aimed(loop, said);
  return sentBack(loop, { at, reason: `Rejected by @${by.login}.`, points }, to);
}

interface SentBack {
  readonly at: string;
  readonly reason: string;
  /** What should change, as the next draft reads it. */
  readonly points: readonly Point[];
}

/** Closes the entry as not approved and opens the next review round, while there is one. */
export function sentBack(loop: StartedLoop, { at, reason, points }: SentBack, to: PhaseName): Decision {
  const gate = { name: 'approval', value: 0, threshold: 'by a person', passed: false };
  const feedback = [...defectsOf(points, String(loop.entry))];
  const closed = close(loop, { at, outcome: 'failed', gates: [gate], measurements: [], defects: feedback, reason });
  const back: StartedLoop = { ...withoutApproval(closed), feedback };
  const exhausted = exhaustedOf(loop);
  if (exhausted !== undefined) return stop(back, exhausted);
  return enter(nextRound(back), to, at);
}

/** Why no further packet may be made, if so. Every packet needs a review round, and every approval a plan number. */
export function exhaustedOf({ counters }: Loop): string | undefined {
  if (counters.rounds >= LIMITS.rounds + counters.grants)
    return `The packet was sent back in ${counters.rounds} review rounds; talk it over in the issue, then \`/rerun DEFINE\`.`;
  if (counters.plans >= LIMITS.plans + counters.grants)
    return `${counters.plans} approved plans are used up; talk it over in the issue, then \`/rerun DEFINE\`.`;
  return undefined;
}

function requirementOf(message: string): string | null {
  const [, number] = /^R-?(\d+)\b/i.exec(message) ?? [];
  return number === undefined ? null : `R-${number}`;
}
