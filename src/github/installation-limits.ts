/**
 * What may still be asked of GitHub for one installation, as all processes of the App know it together. Pure.
 *
 * GitHub limits an installation as one user: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api. All its tokens count together,
 * those for single repositories too; people, and other Apps, count for themselves. What else counts here are programs of the same App without this
 * database (`doctor --probe`, a second deployment) and what GitHub counts and does not tell: for them something is left.
 */
import { z } from 'zod';

/** Replicas' clocks differ by so much at the most, from the right time, */
export const SKEW_MS = 5000;
/** and so long after it was asked for here a request is counted there. */
const TRAVEL_MS = 5000;
const SPARE_MS = 2 * SKEW_MS + TRAVEL_MS;

interface Window {
  readonly most: number;
  readonly withinMs: number;
}

/** GitHub takes 80 in a minute and 500 in an hour. */
export const CREATIONS: readonly Window[] = [
  { most: 70, withinMs: 60_000 + SPARE_MS },
  { most: 450, withinMs: 3_600_000 + SPARE_MS },
];

/** For so long a process may spend the points that it was given. */
export const LEASE_MS = 10_000;
/** So many points at a time. */
export const LEASE_POINTS = 90;
/** GitHub takes 900 in a minute: a read costs 1, anything else 5. They are given in leases, so that not each read writes a row. */
export const LEASES: readonly Window[] = [{ most: 9, withinMs: 60_000 + LEASE_MS + SPARE_MS }];

/** For whom was told to come back room is kept for so long after that. */
export const GRACE_MS = 120_000;
/** And the place in the line, for whoever comes later. */
const PLACE_MS = 3_600_000;

/** GitHub counts by the hour, so that no limit lasts longer. */
const LONGEST_LIMIT_MS = 3_600_000;

/** What GitHub said takes nothing more: `core` and `graphql` have hours of their own. */
export const COUNTED = ['all', 'core', 'graphql'] as const;
export type Counted = (typeof COUNTED)[number];

/** Until when, in milliseconds since 1970. */
const closed = z.object({ all: z.int(), core: z.int(), graphql: z.int() });
export type Closed = Readonly<z.infer<typeof closed>>;

/** As it is stored; times are milliseconds since 1970. */
export const installationLimits = z.object({
  /** When something was created, oldest first. */
  created: z.array(z.int()),
  /** Who waits to create something, in order, and when each was told to come. */
  line: z.array(z.object({ who: z.string(), atMs: z.int() })),
  /** When points were given, oldest first. */
  leases: z.array(z.int()),
  closed,
});
export type InstallationLimits = Readonly<z.infer<typeof installationLimits>>;

export const UNUSED: InstallationLimits = {
  created: [],
  line: [],
  leases: [],
  closed: { all: 0, core: 0, graphql: 0 },
};

export type LimitAsk =
  /** To create one thing; `who` is the same each time that it is asked for. */
  | { readonly type: 'creation'; readonly who: string; readonly nowMs: number }
  /** For a lease of points. */
  | { readonly type: 'points'; readonly nowMs: number }
  /** GitHub said that it takes nothing more. */
  | { readonly type: 'told'; readonly of: Counted; readonly untilMs: number; readonly nowMs: number };

export interface LimitAnswer {
  /** 0: it is counted, and may be done now. Else nothing is counted, and it is to be asked for again after this. */
  readonly waitMs: number;
  readonly closed: Closed;
}

interface Answered {
  /** The same object where nothing is to be stored. */
  readonly limits: InstallationLimits;
  readonly answer: LimitAnswer;
}

/** Answers one process and counts what it may do; what it then does not do counts all the same. */
export function answered(stored: InstallationLimits, ask: LimitAsk): Answered {
  const limits = believed(stored, ask.nowMs);
  switch (ask.type) {
    case 'creation':
      return closedFor(limits, ask.nowMs) ?? creation(limits, ask);
    case 'points':
      return lease(limits, ask.nowMs);
    case 'told':
      return told(limits, ask);
  }
}

/** What only a clock that went wrong can have written holds nobody: who is held sends nothing, and so would never hear of it. */
function believed(limits: InstallationLimits, nowMs: number): InstallationLimits {
  const lastMs = nowMs + LONGEST_LIMIT_MS + 2 * SKEW_MS;
  const of = (untilMs: number): number => (untilMs > lastMs ? 0 : untilMs);
  const { all, core, graphql } = limits.closed;
  if (Math.max(all, core, graphql) <= lastMs) return limits;
  return { ...limits, closed: { all: of(all), core: of(core), graphql: of(graphql) } };
}

/** Nobody keeps a place for what cannot be sent anyway: only REST creates. */
function closedFor(limits: InstallationLimits, nowMs: number): Answered | undefined {
  const waitMs = Math.max(limits.closed.all, limits.closed.core) - nowMs;
  return waitMs > 0 ? { limits, answer: { waitMs, closed: limits.closed } } : undefined;
}

/** Whoever came first goes first; those ahead have their room also while they are on their way. One that is late keeps nobody waiting, and its place. */
function creation(limits: InstallationLimits, { who, nowMs }: LimitAsk & { readonly type: 'creation' }): Answered {
  const created = remembered(limits.created, CREATIONS, nowMs);
  const line = limits.line.filter(({ atMs }) => atMs + PLACE_MS > nowMs);
  const found = line.findIndex((one) => one.who === who);
  const place = found === -1 ? line.length : found;
  const ahead = line.slice(0, place).filter((one) => one.atMs + GRACE_MS > nowMs).length;
  const atMs = roomBehind(ahead, created, nowMs);
  const told = { who, atMs };
  const next =
    atMs > nowMs
      ? { ...limits, created, line: line.toSpliced(place, 1, told) }
      : { ...limits, created: [...created, nowMs], line: line.toSpliced(place, 1) };
  return { limits: next, answer: { waitMs: atMs - nowMs, closed: limits.closed } };
}

function lease(limits: InstallationLimits, nowMs: number): Answered {
  const leases = remembered(limits.leases, LEASES, nowMs);
  const waitMs = roomAfter(leases, LEASES, nowMs) - nowMs;
  const next = waitMs > 0 ? counted(limits, leases, nowMs) : { ...limits, leases: [...leases, nowMs] };
  return { limits: next, answer: { waitMs, closed: limits.closed } };
}

/** Leases that are further ahead than clocks differ are kept as of now: else they would count from now each time that somebody asks. */
function counted(limits: InstallationLimits, leases: readonly number[], nowMs: number): InstallationLimits {
  return limits.leases.some((at) => at > nowMs + 2 * SKEW_MS) ? { ...limits, leases: [...leases] } : limits;
}

/** A replica whose clock is ahead does not begin before GitHub takes it. */
function told(limits: InstallationLimits, { of, untilMs, nowMs }: LimitAsk & { readonly type: 'told' }): Answered {
  const until = Math.ceil(Math.min(untilMs, nowMs + LONGEST_LIMIT_MS)) + SKEW_MS;
  const next = limits.closed[of] >= until ? limits : { ...limits, closed: { ...limits.closed, [of]: until } };
  return { limits: next, answer: { waitMs: 0, closed: next.closed } };
}

/** Times that count still; one that is ahead of this clock counts from now. */
function remembered(times: readonly number[], windows: readonly Window[], nowMs: number): number[] {
  const longestMs = Math.max(...windows.map(({ withinMs }) => withinMs));
  return times.filter((at) => at > nowMs - longestMs).map((at) => Math.min(at, nowMs));
}

/** When one more fits into every window. */
function roomAfter(times: readonly number[], windows: readonly Window[], nowMs: number): number {
  return Math.max(
    nowMs,
    ...windows.map(({ most, withinMs }) => (times.at(-most) ?? Number.NEGATIVE_INFINITY) + withinMs),
  );
}

function roomBehind(ahead: number, created: readonly number[], nowMs: number): number {
  const times = [...created];
  for (let place = 0; place < ahead; place += 1) times.push(roomAfter(times, CREATIONS, nowMs));
  return roomAfter(times, CREATIONS, nowMs);
}
