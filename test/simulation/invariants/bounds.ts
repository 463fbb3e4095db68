/** Nothing grows without end: requests, queue, tries; and what was paid is counted. */
import { isDeepStrictEqual } from 'node:util';
import { callsOf, costUsd } from '../../../src/loop/costs.ts';
import type { Loop } from '../../../src/loop/loop.ts';
import { refold } from '../../loop/random-walk.ts';
import { QUARTER_MS } from '../github/requests.ts';
import { suffixOf } from '../world/records.ts';
import { loopsOf, type World } from '../world/world.ts';
import type { Invariant } from './invariants.ts';

const MOST_TRIES = 100;
/** Requests of a quarter of an hour: for each loop that there is, for each word and push of people, and once. */
const ALLOWED = { perLoop: 110, perAct: 30, once: 60 };

export const BOUNDS: readonly Invariant[] = [
  {
    name: 'requests-bounded',
    sentence:
      'What the App asks of GitHub in an hour is bounded by its loops and what people do, not by what others say.',
    during: (world) => tooManyRequests(world),
  },
  {
    name: 'queue-bounded',
    sentence: 'The queue does not grow while processes work on it.',
    during(world) {
      const { table, records, database, scheduler } = world;
      const due = [...table.items].filter(({ availableMs }) => availableMs < scheduler.nowMs()).length;
      records.mostQueued = Math.max(records.mostQueued, due);
      const allowed = 60 + 25 * database.loops.size;
      return due > allowed ? `${due} items are due` : undefined;
    },
  },
  {
    name: 'no-try-for-ever',
    sentence: 'Nothing is tried again and again without end.',
    during({ table }) {
      const found = [...table.items].find(({ attempt }) => attempt > MOST_TRIES);
      return found && `${JSON.stringify(found.item)} was tried ${found.attempt} times`;
    },
  },
  {
    name: 'costs-counted',
    sentence: 'Every call that was booked is counted once, whatever became of its process.',
    during: (world) => leftUncounted(world),
    end: (world) => uncounted(world),
  },
  {
    name: 'spends-within-limit',
    sentence: 'A loop never spends more than its limit and one call, but for runs that nobody awaited any more.',
    during: (world) => overspent(world),
  },
  {
    name: 'refold-equals-row',
    sentence: 'The log, folded again, gives the stored loop.',
    end({ database, records }) {
      for (const [id, { loop }] of database.loops) {
        const folded = refold(database.logs.get(id) ?? [], records.firstRefs.get(id));
        if (!isDeepStrictEqual(folded, loop)) return `${id}: ${difference(folded, loop)}`;
      }
      return undefined;
    },
  },
];

function difference(folded: object, stored: object): string {
  const [one, other] = [new Map(Object.entries(folded)), new Map(Object.entries(stored))];
  const keys = [...new Set([...one.keys(), ...other.keys()])];
  return keys.filter((key) => JSON.stringify(one.get(key)) !== JSON.stringify(other.get(key))).join(', ');
}

function tooManyRequests(world: World): string | undefined {
  const { outside, scheduler, hub, crowd, database } = world;
  const quarter = Math.floor(scheduler.nowMs() / QUARTER_MS) - 1;
  const isIn = (atMs: number): boolean => Math.floor(atMs / QUARTER_MS) === quarter;
  const count = outside.requests.get(quarter) ?? 0;
  const acts =
    crowd.said.filter(({ createdMs }) => isIn(createdMs)).length +
    hub.deliveries.webhooks.filter(
      ({ name, atMs }) => isIn(atMs) && !['check_run', 'check_suite', 'status'].includes(name),
    ).length;
  const allowed = ALLOWED.once + ALLOWED.perLoop * database.loops.size + ALLOWED.perAct * acts;
  return count > allowed
    ? `${count} requests in a quarter of an hour, with ${database.loops.size} loops and ${acts} acts`
    : undefined;
}

/** The dearest call that the authored models make. */
const DEAREST = { promptTokens: 9000, completionTokens: 1500 };

function overspent(world: World): string | undefined {
  for (const loop of loopsOf(world)) {
    const { started, spent } = loop;
    if (started?.price === undefined) continue;
    const { prompt, completion } = started.price;
    const oneCall = (DEAREST.promptTokens * prompt + DEAREST.completionTokens * completion) / 1_000_000;
    const allowed = started.limits.usd + oneCall + abandonedUsd(world, loop, oneCall);
    if (spent.usd > allowed)
      return `${suffixOf(loop.ref)}: ${spent.usd.toFixed(2)} USD are spent, ${allowed.toFixed(2)} are allowed`;
  }
  return undefined;
}

/** What runs cost that ended after their entry did: while they went on, the loop went on too, and could not know. */
function abandonedUsd({ jobs }: World, { ref, started, entries }: Loop, oneCall: number): number {
  return jobs.done
    .filter(({ brief }) => brief.loop.id.replace(/^.*#/, '') === suffixOf(ref))
    .filter(({ brief }) => entries.some(({ entry, outcome }) => entry === brief.entry && outcome === 'cancelled'))
    .reduce((total, { calls }) => total + costUsd(started?.price, calls) + oneCall, 0);
}

/** A call whose process was killed is told of by whoever works on the loop next: there must be such work, also where nothing else is left to do. */
function leftUncounted({ database, table }: World): string | undefined {
  const worked = new Set(
    [...table.items].flatMap(({ item }) => (item.type === 'wake' && item.lane === 'work' ? item.loopId : [])),
  );
  for (const [id, calls] of database.calls) {
    const lost = calls.filter(({ told }) => !told).length;
    if (lost > 0 && !worked.has(id)) return `${id}: ${lost} calls are untold, and no work is left to tell of them`;
  }
  return undefined;
}

function uncounted(world: World): string | undefined {
  const { outside, jobs } = world;
  for (const loop of loopsOf(world)) {
    const suffix = suffixOf(loop.ref);
    const asked = outside.paid.filter(({ issue }) => issue === suffix);
    const booked = asked.filter((one) => one.booked).length;
    // What a paused loop holds is decided on, and counted, when it goes on or ends.
    const held = loop.held.filter(({ type }) => type !== 'reported').flatMap(callsOf);
    const counted = loop.spent.callsOutsideBuild + held.length;
    if (counted < booked) return `${suffix}: ${counted} calls are counted, ${booked} were booked`;
    if (counted > asked.length) return `${suffix}: ${counted} calls are counted, only ${asked.length} were made`;
    const inJobs = jobs.done
      .filter(({ brief }) => brief.loop.id.replace(/^.*#/, '') === suffix)
      .reduce((total, { calls }) => total + calls.length + 1, 0);
    if (loop.spent.calls > asked.length + inJobs)
      return `${suffix}: ${loop.spent.calls} calls are counted, only ${asked.length + inJobs} were made`;
  }
  return undefined;
}
