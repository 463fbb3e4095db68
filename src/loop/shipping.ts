/** What a loop does in SHIP: the branch moves, the repository's own checks are awaited by one clock, the draft becomes ready. Pure; one handler per event. */
import type { EventOf } from './event.ts';
import { allPassed, standardOf, verdictsOf } from './gates.ts';
import { judge, NO_FINDINGS } from './judging.ts';
import type { Decision } from './loop.ts';
import { collect } from './runs.ts';
import type { Shipping } from './shipping-record.ts';
import type { StartedLoop } from './stages.ts';
import { only, stop } from './walk.ts';

/** How long the repository's own checks are awaited, in seconds (PRODUCT.md, SHIP). */
const CHECKS_SECONDS = 3600;
/** The pauses between two looks at the checks grow from the quiet time to this. */
const LONGEST_PAUSE_SECONDS = 300;

/** SHIP's state as its draft leaves it; without a word about it a person promotes. */
export function shippedBy(promotion: EventOf<'drafted'>['promotion']): Shipping {
  const byPerson = { by: 'person', why: 'nothing says that the branch may be moved without one' } as const;
  return { promotion: promotion ?? byPerson, asked: 0, waitsFor: [], checks: [] };
}

/** Moves the branch to the verified candidate; also what `/release` does. */
export function promote(loop: StartedLoop): Decision {
  const { waitingFor: _, ...rest } = loop;
  return {
    loop: { ...rest, status: 'working' },
    effects: [{ type: 'promote', key: `${loop.entry}/promote`, entry: loop.entry }],
  };
}

export function promoted(loop: StartedLoop, event: EventOf<'promoted'>): Decision {
  const { review, shipping } = loop;
  if (review === undefined || shipping === undefined) return only(loop);
  const moved: StartedLoop = { ...loop, review: { ...review, head: event.head } };
  return armed(moved, { ...shipping, promotedAt: event.at }, event.at, quietSecondsOf(loop));
}

/** A check changed: when the pauses have grown long, the next look comes when it has been quiet since. It costs no request by itself. */
export function heard(loop: StartedLoop, event: EventOf<'heard'>): Decision {
  const { shipping } = loop;
  if (shipping === undefined) return only(loop);
  const told: Shipping = { ...shipping, heardAt: later(shipping.heardAt, event.at), asked: 0 };
  const quietAt = after(event.at, quietSecondsOf(loop));
  const isSooner = shipping.timer !== undefined && shipping.timer.dueAt > quietAt;
  return isSooner ? armed(loop, told, event.at, quietSecondsOf(loop)) : only({ ...loop, shipping: told });
}

/** The one clock: a run that is overdue is given up, and the checks are looked at once it has been quiet for long enough. */
export function elapsed(loop: StartedLoop, event: EventOf<'elapsed'>): Decision {
  if (event.timer === 'run') return collect(loop, 'overdue');
  const { shipping } = loop;
  if (shipping?.promotedAt === undefined || shipping.timer?.key !== event.key) return only(loop);
  const isLate = secondsBetween(shipping.promotedAt, event.at) > CHECKS_SECONDS;
  // How long a person takes is not the checks' time.
  if (isLate && loop.waitingFor !== 'rerun') return stop(loop, overdueSentence(shipping));
  const lookAt = nextLookOf(loop, { ...shipping, promotedAt: shipping.promotedAt });
  if (lookAt > event.at) return armed(loop, shipping, event.at, secondsBetween(event.at, lookAt));
  const { timer: _, ...rest } = { ...shipping, askedAt: event.at };
  const inspect = { type: 'inspect', key: `${loop.entry}/inspect/${loop.seq}`, entry: loop.entry } as const;
  return { loop: { ...loop, shipping: rest }, effects: [inspect] };
}

/** When it has been quiet for long enough; where it never is, people are still told now and then what is awaited. */
function nextLookOf(
  loop: StartedLoop,
  { promotedAt, heardAt, askedAt }: Shipping & { readonly promotedAt: string },
): string {
  const quietAt = after(later(promotedAt, heardAt), quietSecondsOf(loop));
  const atLast = after(askedAt ?? promotedAt, Math.max(LONGEST_PAUSE_SECONDS, quietSecondsOf(loop)));
  return quietAt.localeCompare(atLast) < 0 ? quietAt : atLast;
}

/** Some checks are not done: look again, sooner while they change and more and more seldom while they do not. */
export function deferred(loop: StartedLoop, event: EventOf<'deferred'>): Decision {
  const { shipping } = loop;
  if (shipping === undefined) return only(loop);
  const quiet = quietSecondsOf(loop);
  const heardAt = event.changedAt === undefined ? shipping.heardAt : later(shipping.heardAt, event.changedAt);
  const told: Shipping = {
    ...shipping,
    ...(heardAt === undefined ? {} : { heardAt }),
    asked: shipping.asked + 1,
    waitsFor: [...event.waitsFor],
  };
  return armed(loop, told, event.at, Math.min(LONGEST_PAUSE_SECONDS, quiet * 2 ** shipping.asked));
}

export function checked(loop: StartedLoop, event: EventOf<'checked'>): Decision {
  if (loop.shipping === undefined) return only(loop);
  const shipping: Shipping = { ...loop.shipping, ...(event.excused === undefined ? {} : { excused: event.excused }) };
  if (!allPassed(verdictsOf(standardOf(loop, loop.phase), event.measurements))) {
    const { promotedAt: _, ...unpromoted } = shipping;
    return judge({ ...loop, shipping: unpromoted }, event);
  }
  return {
    loop: { ...loop, shipping: { ...shipping, checks: event.measurements, waitsFor: [] } },
    effects: [{ type: 'ready', key: `${loop.entry}/ready`, entry: loop.entry }],
  };
}

export function readied(loop: StartedLoop, event: EventOf<'readied'>): Decision {
  const { shipping } = loop;
  const { outdated } = event;
  const shown =
    shipping === undefined || outdated === undefined ? loop : { ...loop, shipping: { ...shipping, outdated } };
  return judge(shown, { at: event.at, ...NO_FINDINGS, measurements: shipping?.checks ?? [] });
}

/** Sets the one timer of the checks; one that was set before means nothing from now on. */
export function armed(loop: StartedLoop, shipping: Shipping, at: string, seconds: number): Decision {
  const key = `${loop.entry}/wait/checks/${loop.seq}`;
  return {
    loop: { ...loop, shipping: { ...shipping, timer: { key, dueAt: after(at, seconds) } } },
    effects: [{ type: 'wait', key, entry: loop.entry, timer: 'checks', seconds }],
  };
}

function overdueSentence({ waitsFor }: Shipping): string {
  const which = waitsFor.length === 0 ? '' : ` (${waitsFor.slice(0, 5).join(', ')})`;
  return `The repository's own checks did not finish within 60 minutes${which}; look at them and then \`/rerun\`.`;
}

/** At least a second, so that a wait is never none. */
function quietSecondsOf({ started }: StartedLoop): number {
  return Math.max(1, started.limits.checksQuietSeconds);
}

function after(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}

function later(one: string | undefined, other: string): string;
function later(one: string, other: string | undefined): string;
function later(one: string | undefined, other: string | undefined): string {
  return one === undefined || (other !== undefined && other > one) ? (other ?? '') : one;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}
