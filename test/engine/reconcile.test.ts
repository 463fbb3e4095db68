/** How often a run is asked about whose end webhooks are to tell. */
import { expect, test } from 'vitest';
import { createReconciler } from '../../src/engine/reconcile.ts';
import { UnansweredError } from '../../src/errors.ts';
import type { Ports } from '../../src/ports.ts';
import { doors } from '../intake/door.ts';
import { building } from '../loop/stands.ts';

const openDoor = doors();
const RUN = { id: 505, status: 'in_progress', conclusion: undefined, path: 'p', event: 'e', headSha: 's', attempt: 1 };

/** A loop that awaits its run, and rounds at these seconds; tells at which of them GitHub was asked. */
async function asked(seconds: readonly number[], { begins = 0, refuses = -1 } = {}): Promise<readonly number[]> {
  const door = await openDoor();
  const loop = building();
  const awaiting = { ...loop, built: { ...loop.built, run: { id: RUN.id, entry: loop.entry } } };
  let now = 0;
  const times: number[] = [];
  const run = async () => {
    times.push(now);
    if (now === refuses) throw new UnansweredError('GitHub does not answer');
    return RUN;
  };
  const ports: Ports = {
    ...door.ports,
    queue: { ...door.ports.queue, send: async () => undefined },
    clock: { ...door.ports.clock, now: () => new Date(now * 1000) },
    github: { ...door.ports.github, run },
  };
  const round = createReconciler(ports);
  for (now of seconds) {
    if (now === begins) await door.keep(awaiting);
    await round().catch(() => undefined);
  }
  return times;
}

test('at the start, and then where nothing was heard of it for five minutes', async () => {
  expect(await asked([0, 30, 60, 270, 300, 330, 600])).toEqual([0, 300, 600]);
});

test('one that begins while webhooks are listened for is let be at first', async () => {
  expect(await asked([0, 30, 60, 300, 330], { begins: 30 })).toEqual([330]);
});

test('again in the next round where GitHub did not answer', async () => {
  expect(await asked([0, 30, 60], { refuses: 0 })).toEqual([0, 30]);
});
