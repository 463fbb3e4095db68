/** The limits of one installation, by what random processes with clocks of their own do. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answered,
  GRACE_MS,
  type InstallationLimits,
  LEASE_MS,
  LEASE_POINTS,
  type LimitAnswer,
  type LimitAsk,
  SKEW_MS,
  UNUSED,
} from '../../src/github/installation-limits.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** The most that lie in any `withinMs`. */
function mostWithin(times: readonly number[], withinMs: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  let first = 0;
  return sorted.reduce((most, at, index) => {
    while ((sorted[first] ?? at) <= at - withinMs) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

function shared() {
  let limits: InstallationLimits = UNUSED;
  return (ask: LimitAsk): LimitAnswer => {
    const { limits: next, answer } = answered(limits, ask);
    limits = next;
    return answer;
  };
}

interface Caller {
  readonly arrivesMs: number;
  readonly process: number;
  /** How much later than told it comes back. */
  readonly lateMs: number;
  /** How long its request is under way. */
  readonly travelMs: number;
  /** It never comes back, once it was told to wait. */
  readonly givesUp: boolean;
}

/** When each caller's creation reaches GitHub, by the right time; undefined for who gave up. */
function creationsOf(callers: readonly Caller[], skews: readonly number[]) {
  const ask = shared();
  const due = callers.map((caller, who) => ({ who, atMs: START + caller.arrivesMs, caller, asks: 0 }));
  const done: (number | undefined)[] = callers.map(() => undefined);
  const asks: number[] = callers.map(() => 0);
  while (due.length > 0) {
    const next = due.reduce((first, one) => (one.atMs < first.atMs ? one : first));
    due.splice(due.indexOf(next), 1);
    const { who, atMs, caller } = next;
    asks[who] = (asks[who] ?? 0) + 1;
    const nowMs = atMs + (skews[caller.process] ?? 0);
    const { waitMs } = ask({ type: 'creation', who: `${who}`, nowMs });
    if (waitMs === 0) done[who] = atMs + caller.travelMs;
    else if (!caller.givesUp) due.push({ ...next, atMs: atMs + Math.ceil(waitMs / 1000) * 1000 + caller.lateMs });
  }
  return { done, asks };
}

const skews = fc.array(fc.integer({ min: -SKEW_MS, max: SKEW_MS }), { minLength: 1, maxLength: 4 });
const callerWithin = (spreadMs: number, isPunctual = false): fc.Arbitrary<Caller> =>
  fc.record({
    arrivesMs: fc.integer({ min: 0, max: spreadMs }),
    process: fc.nat({ max: 3 }),
    lateMs: isPunctual ? fc.constant(0) : fc.integer({ min: 0, max: 2 * GRACE_MS }),
    travelMs: fc.integer({ min: 0, max: 5000 }),
    givesUp: isPunctual ? fc.constant(false) : fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  });

describe('creations of an installation', () => {
  it('are never more than 80 in any minute and 500 in any hour, whatever the clocks say and whoever is late', () => {
    const many = fc
      .integer({ min: 0, max: 30 * MINUTE })
      .chain((spreadMs) => fc.array(callerWithin(spreadMs), { minLength: 50, maxLength: 600, size: 'max' }));
    fc.assert(
      fc.property(many, skews, (callers, clocks) => {
        const times = creationsOf(callers, clocks).done.filter((at) => at !== undefined);
        expect(mostWithin(times, MINUTE)).toBeLessThanOrEqual(70);
        expect(mostWithin(times, HOUR)).toBeLessThanOrEqual(450);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it('all happen in the end, each after few tries, in the order in which they came', () => {
    const burst = fc.array(callerWithin(3000, true), { minLength: 100, maxLength: 500, size: 'max' });
    fc.assert(
      fc.property(burst, (callers) => {
        const { done, asks } = creationsOf(callers, [0]);
        expect(done.every((at) => at !== undefined)).toBe(true);
        expect(Math.max(...asks)).toBeLessThanOrEqual(4);
        const sent = callers
          .map(({ arrivesMs, travelMs }, who) => ({ arrivesMs, atMs: (done[who] ?? 0) - travelMs }))
          .toSorted((left, right) => left.arrivesMs - right.arrivesMs);
        // Who comes back is told whole seconds.
        for (const [index, { atMs }] of sent.entries())
          expect(atMs).toBeGreaterThan((sent[index - 1]?.atMs ?? 0) - 2000);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it('that nobody comes back for keep others waiting for two minutes, and no longer', () => {
    const ask = shared();
    for (let one = 0; one < 70; one += 1) ask({ type: 'creation', who: `${one}`, nowMs: START });
    const gone = ask({ type: 'creation', who: 'gone', nowMs: START });
    expect(gone.waitMs).toBe(75_000);
    for (let one = 0; one < 69; one += 1)
      expect(ask({ type: 'creation', who: `later ${one}`, nowMs: START + 75_000 }).waitMs).toBe(0);
    expect(ask({ type: 'creation', who: 'next', nowMs: START + 75_000 }).waitMs).toBe(75_000);
    const freeMs = START + 75_000 + GRACE_MS;
    for (let one = 0; one < 69; one += 1)
      expect(ask({ type: 'creation', who: `then ${one}`, nowMs: freeMs }).waitMs).toBe(0);
    // Late, it is first all the same.
    expect(ask({ type: 'creation', who: 'gone', nowMs: freeMs }).waitMs).toBe(0);
  });

  it('of a clock that was ahead by a day hold nobody for longer than an hour', () => {
    const ask = shared();
    for (let one = 0; one < 70; one += 1) ask({ type: 'creation', who: `${one}`, nowMs: START + 24 * HOUR });
    expect(ask({ type: 'creation', who: 'a', nowMs: START }).waitMs).toBe(75_000);
  });
});

describe('points of an installation', () => {
  it('are never more than 900 in any minute, whoever spends them at any time of a lease', () => {
    const spending = fc.record({
      afterMs: fc.integer({ min: 0, max: 2000 }),
      process: fc.nat({ max: 3 }),
      spentMs: fc.integer({ min: 0, max: LEASE_MS }),
      travelMs: fc.integer({ min: 0, max: 5000 }),
    });
    fc.assert(
      fc.property(fc.array(spending, { minLength: 100, maxLength: 400, size: 'max' }), skews, (asked, clocks) => {
        const ask = shared();
        let atMs = START;
        const spent: number[] = [];
        for (const { afterMs, process, spentMs, travelMs } of asked) {
          atMs += afterMs;
          const { waitMs } = ask({ type: 'points', nowMs: atMs + (clocks[process] ?? 0) });
          if (waitMs === 0) spent.push(atMs + spentMs + travelMs);
        }
        expect(mostWithin(spent, MINUTE) * LEASE_POINTS).toBeLessThanOrEqual(900);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

it('points that a clock gave which was ahead by a day hold nobody for longer than their time', () => {
  const ask = shared();
  for (let one = 0; one < 9; one += 1) ask({ type: 'points', nowMs: START + 24 * HOUR });
  const { waitMs } = ask({ type: 'points', nowMs: START });
  expect(waitMs).toBeLessThan(2 * MINUTE);
  expect(ask({ type: 'points', nowMs: START + waitMs }).waitMs).toBe(0);
});

describe('what GitHub said', () => {
  const told = (of: 'all' | 'core' | 'graphql', untilMs: number, nowMs = START): LimitAsk => ({
    ...{ type: 'told', of, untilMs, nowMs },
  });

  it('holds everybody until then, and a little longer for clocks that are ahead; it takes no place in the line', () => {
    const ask = shared();
    expect(ask(told('all', START + 90_000)).closed.all).toBe(START + 90_000 + SKEW_MS);
    expect(ask({ type: 'creation', who: 'a', nowMs: START }).waitMs).toBe(90_000 + SKEW_MS);
    expect(ask({ type: 'creation', who: 'a', nowMs: START + 90_000 + SKEW_MS }).waitMs).toBe(0);
  });

  it('is stored where it lasts longer than what is known', () => {
    const { limits } = answered(UNUSED, told('core', START + 90_000));
    expect(answered(limits, told('core', START + 60_000)).limits).toBe(limits);
    expect(answered(limits, told('core', START + 91_000)).limits).not.toBe(limits);
  });

  it('lasts an hour at the most, and what a clock that is wrong by years said is forgotten', () => {
    expect(answered(UNUSED, told('all', START + 9 * HOUR)).limits.closed.all).toBe(START + HOUR + SKEW_MS);
    const { limits } = answered(UNUSED, told('all', START + 9000 * HOUR, START + 8999 * HOUR));
    expect(answered(limits, told('all', START + 90_000)).limits.closed.all).toBe(START + 90_000 + SKEW_MS);
    // Also where nobody is told anything, because nobody sends.
    for (const ask of [{ type: 'points' } as const, { type: 'creation', who: 'a' } as const])
      expect(answered(limits, { ...ask, nowMs: START }).answer).toEqual({ waitMs: 0, closed: UNUSED.closed });
  });

  it('of GraphQL keeps nobody from creating', () => {
    const ask = shared();
    ask(told('graphql', START + 90_000));
    expect(ask({ type: 'creation', who: 'a', nowMs: START }).waitMs).toBe(0);
  });
});
