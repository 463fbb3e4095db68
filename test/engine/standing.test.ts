/** Loops that waited for a right of the App, and what keeps them from going on when it is back. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createRegaining } from '../../src/engine/standing.ts';
import { GoneError, LoopError } from '../../src/errors.ts';
import { hearingMeanwhile } from '../../src/intake/take-in.ts';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { type Door, doors, from, MARIA, REF } from '../intake/door.ts';
import { building } from '../loop/stands.ts';
import { timeOf } from '../loop/world.ts';

const openDoor = doors();
const NEIGHBOUR = 13;

/** Both await a run in BUILD. */
const waiting = (): Loop =>
  decide(building(), { type: 'withheld', at: timeOf(60), reason: 'It is suspended.', lanes: ['work'] }).loop;

let door: Door;
let run: () => Promise<unknown>;
beforeEach(async () => {
  door = await openDoor();
  await door.keep(waiting());
  await door.keep({ ...waiting(), ref: { ...REF, issue: NEIGHBOUR } });
  let asked = 0;
  run = async () => ({ id: 1, status: 'in_progress' });
  Object.assign(door.ports.github, {
    run: async () => {
      asked += 1;
      return asked === 1 ? run() : { id: 1, status: 'in_progress' };
    },
  });
});

const withheld = async () => [await door.loop(), await door.loop({ issue: NEIGHBOUR })].map((loop) => loop?.withheld);
const LOOKS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the look of the App', () => createRegaining(door.ports, hearingMeanwhile(door.ports))()],
  ['the webhook', () => door.deliver('installation', from(MARIA, { action: 'unsuspend' }))],
];

describe.each(LOOKS)('a right that is back, by %s', (_, look) => {
  it('lets all go on', async () => {
    await look();
    expect(await withheld()).toEqual([undefined, undefined]);
  });

  it('lets a loop go on whose run somebody deleted meanwhile, and the others', async () => {
    run = () => Promise.reject(new GoneError('GitHub answered 404', { status: 404 }));
    await look();
    expect(await withheld()).toEqual([undefined, undefined]);
  });
});

it.each([
  ['and a minute before it', '2026-01-01T00:00:00.000Z', -60_000],
  ['and not before the loop began: that was said to another one', timeOf(59.51), -30_000],
])('GitHub is asked for what was said since the right was taken, %s', async (_, startedAt, fromMs) => {
  const asked: string[] = [];
  const { started, ...rest } = waiting();
  await door.keep({ ...rest, ref: { ...REF, issue: 14 }, started: started && { ...started, at: startedAt } });
  Object.assign(door.ports.github, {
    unsent: async (_: unknown, { issue, since }: { readonly issue: number; readonly since: string }) => {
      if (issue === 14) asked.push(since);
      return [];
    },
  });
  await createRegaining(door.ports, hearingMeanwhile(door.ports))();
  expect(asked).toEqual([new Date(Date.parse(timeOf(60)) + fromMs).toISOString()]);
});

it('of several loops one that GitHub cannot be asked about keeps no other waiting', async () => {
  run = () => Promise.reject(new LoopError('GitHub answered 418', { status: 418 }));
  await expect(createRegaining(door.ports, hearingMeanwhile(door.ports))()).rejects.toThrow('418');
  expect((await withheld()).filter((one) => one === undefined)).toHaveLength(1);
});
