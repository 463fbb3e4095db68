/** How the engine saves and performs: beside other savers, past an effect that cannot succeed now, and where a repository moved. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { apply, applyOnce, work } from '../../src/engine/advance.ts';
import { ConflictError, RelocatedError, RetryError, UnansweredError } from '../../src/errors.ts';
import type { Effect } from '../../src/loop/effect.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Ports, Tries } from '../../src/ports.ts';
import { type Door, doors } from '../intake/door.ts';
import { building } from '../loop/stands.ts';
import { command, REF, timeOf } from '../loop/world.ts';

const openDoor = doors();
const log = pino({ level: 'silent' });
const REACT: Effect = { type: 'react', key: 'r', commentId: 99, content: '+1' };
const CANCEL: Effect = { type: 'cancel', key: 'c', runId: 505 };

/** A door with the loop before it whose pending effects are these, and a GitHub on which `react` does as given. */
async function pending(
  effects: readonly Effect[],
  react: () => Promise<void>,
  tries: Tries = { attempt: 1, failed: {} },
) {
  const door = await openDoor();
  await door.keep({ ...building(), pending: [...effects] });
  const cancelled: number[] = [];
  const cancelRun = async (_: unknown, runId: number) => void cancelled.push(runId);
  const queue = { ...door.ports.queue, send: async () => undefined };
  const ports: Ports = { ...door.ports, queue, github: { ...door.ports.github, react, cancelRun } };
  const perform = (lane: 'voice' | 'cancel') => work({ loopId: idOf(REF), lane, tries }, ports, log);
  return { door, perform, cancelled };
}

/** The store of a door before which so many others save first. */
function contested({ ports }: Door, others: number): Ports {
  let left = others;
  return {
    ...ports,
    store: {
      ...ports.store,
      async save(change) {
        left -= 1;
        if (left >= 0) throw new ConflictError('Another save came first.');
        return ports.store.save(change);
      },
    },
  };
}

describe('an event', () => {
  const pause = command('pause', '', timeOf(60));

  test.each([
    [0, 'paused'],
    [19, 'paused'],
    [20, 'working'],
  ])('is tried to be saved twenty times: after %i saves of others the loop is %s', async (others, status) => {
    const door = await openDoor();
    await door.keep(building());
    const saved = apply(REF, pause, contested(door, others));
    await (status === 'paused' ? saved : expect(saved).rejects.toThrow('saved by others 20 times in a row'));
    expect(await door.loop()).toMatchObject({ status });
  });

  test('that a delivery told is applied once, and the same words of another delivery are heard', async () => {
    const door = await openDoor();
    await door.keep(building());
    const budget = command('budget', '+2', timeOf(60));
    const told = (delivery: string) => applyOnce(REF, budget, { delivery, ordinal: 2, once: 'by-loop' }, door.ports);
    expect([await told('one'), await told('one'), await told('two')]).toEqual(['saved', 'repeated', 'saved']);
    expect(await door.told()).toEqual(['commanded', 'commanded']);
  });
});

describe('an effect that is to be tried again', () => {
  const unanswered = async () => Promise.reject(new UnansweredError('No answer.'));

  test('keeps back no cancellation of a run', async () => {
    const { door, perform, cancelled } = await pending([REACT, CANCEL], unanswered);
    await expect(perform('voice')).rejects.toThrow(RetryError);
    await perform('cancel');
    expect(cancelled).toEqual([505]);
    expect((await door.loop())?.pending).toEqual([REACT]);
  });
});

describe('an effect after one that was withdrawn while it waited for its next try', () => {
  const unanswered = async () => Promise.reject(new UnansweredError('No answer.'));

  test('has tries of its own, so that an answer to somebody is not lost at its first failure', async () => {
    const tries = { attempt: 71, failed: { unanswered: 70 }, of: 'ask/1' };
    const { door, perform } = await pending([REACT], unanswered, tries);
    await expect(perform('voice')).rejects.toMatchObject({ kind: 'unanswered', of: REACT.key });
    expect((await door.loop())?.pending).toEqual([REACT]);
  });

  test('and those of the same effect go on being counted', async () => {
    const tries = { attempt: 60, failed: { unanswered: 59 }, of: REACT.key };
    const { door, perform } = await pending([REACT], unanswered, tries);
    await perform('voice');
    expect((await door.loop())?.pending).toEqual([]);
  });
});

test('what comes of an effect and could not be read again fails its entry, and is not performed and paid for again', async () => {
  const { ports: door, keep, loop } = await openDoor();
  const before = building();
  await keep({ ...before, pending: [{ type: 'ready', key: 'r', entry: before.entry }] });
  // The schema of an event takes no time after the year 9999.
  const times = [new Date('+010000-01-01T00:00:00Z')];
  const clock = { now: () => times.shift() ?? new Date(timeOf(60)) };
  const performed: string[] = [];
  const markReady = async (_: unknown, pull: string) => void performed.push(pull);
  const head = async () => before.review?.head;
  const ports: Ports = { ...door, clock, github: { ...door.github, markReady, head } };
  const perform = () => work({ loopId: idOf(REF), lane: 'work', tries: { attempt: 1, failed: {} } }, ports, log);
  await perform();
  await perform();
  expect(performed).toHaveLength(1);
  expect(await loop()).toMatchObject({ status: 'stopped', note: expect.stringContaining('could not be read again') });
});

test('a lane that rests is woken two seconds later', async () => {
  const { door } = await pending([{ type: 'show', key: 'show/3', since: timeOf(60) }], async () => undefined);
  const sent: unknown[] = [];
  const send: Ports['queue']['send'] = async (...told) => void sent.push(told);
  const ports = { ...door.ports, queue: { ...door.ports.queue, send }, clock: { now: () => new Date(timeOf(60)) } };
  await work({ loopId: idOf(REF), lane: 'voice', tries: { attempt: 1, failed: {} } }, ports, log);
  expect(sent).toEqual([[{ type: 'wake', loopId: idOf(REF), lane: 'voice' }, 2]]);
});

describe('an effect on a repository that is called otherwise by now', () => {
  const moved = async () => Promise.reject(new RelocatedError('The repository has another name now.'));

  test('is tried again at once, and the loop knows the place and shows it', async () => {
    const { door, perform } = await pending([REACT], moved);
    door.world.place = { installationId: 2, owner: 'globex', repo: 'store' };
    await expect(perform('voice')).rejects.toMatchObject({ name: 'RetryError', seconds: 0 });
    const shown = expect.objectContaining({ type: 'show' });
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...door.world.place }, pending: [REACT, shown] });
  });

  test('waits for ten minutes where no installation of the App has it', async () => {
    const { door, perform } = await pending([REACT], moved);
    door.world.place = undefined;
    await expect(perform('voice')).rejects.toMatchObject({ name: 'RetryError', seconds: 600 });
    expect(await door.loop()).toMatchObject({ ref: REF, pending: [REACT] });
  });
});
