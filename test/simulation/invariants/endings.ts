/** How it must end: every loop at rest, or waiting for somebody who can be named. */
import { laneOf } from '../../../src/loop/effect.ts';
import { idOf } from '../../../src/loop/terms.ts';
import { APP } from '../github/hub.ts';
import { loopsOf, type World } from '../world/world.ts';
import type { Invariant } from './invariants.ts';

export const ENDINGS: readonly Invariant[] = [
  {
    name: 'every-loop-rests',
    sentence: 'When nobody disturbs it any more, every loop ends or waits for a named person.',
    end(world) {
      const restless = loopsOf(world).find(({ status }) => status === 'working' || status === 'queued');
      return restless && `${idOf(restless.ref)} is still ${restless.status} in ${restless.phase} (${pendingOf(world)})`;
    },
  },
  {
    name: 'no-lane-stuck',
    sentence: 'What a loop promised to do is done, or given up aloud.',
    end(world) {
      const stuck = loopsOf(world).find(({ status, pending }) =>
        pending.some((effect) => status !== 'paused' || laneOf(effect) !== 'work'),
      );
      return stuck && `${idOf(stuck.ref)} (${stuck.status}) still has to: ${pendingOf(world)}`;
    },
  },
  {
    name: 'no-run-left',
    sentence: 'In the end no run is going on.',
    end: ({ hub }) => [...hub.runs.values()].find(({ status }) => status !== 'completed')?.title,
  },
  {
    name: 'everything-heard',
    sentence: 'Every webhook that GitHub still remembers is taken in and understood.',
    end({ hub, table }) {
      const missed = hub.deliveries.webhooks.find(({ takenInMs }) => takenInMs === undefined);
      const left = [...table.items].find(({ item }) => item.type === 'intake');
      if (left !== undefined) return `a delivery is tried for the ${left.attempt}th time`;
      return missed && `${missed.name} ${String(missed.payload.action ?? '')}`;
    },
  },
  {
    name: 'knows-its-head',
    sentence: 'At rest a loop with an open pull request knows where people left its branch.',
    end(world) {
      const { hub } = world;
      for (const loop of loopsOf(world)) {
        const pull = loop.review === undefined ? undefined : hub.pulls.get(loop.review.pull);
        const ref = `refs/heads/${loop.started?.branch}`;
        const actual = hub.refs.get(ref);
        if (pull?.state !== 'open' || loop.status === 'succeeded' || loop.status === 'paused') continue;
        // What /stop cuts off may have moved the branch itself: nobody awaits its answer, and the branch is read before the loop goes on.
        const isCutOff = loop.status === 'stopped' && hub.moves.findLast((move) => move.ref === ref)?.by === APP.login;
        if (actual !== loop.review?.head && !isCutOff)
          return `${idOf(loop.ref)} (${loop.status}) believes ${loop.review?.head.slice(0, 7)}, the branch is at ${actual?.slice(0, 7)}`;
      }
      return undefined;
    },
  },
];

function pendingOf(world: World): string {
  return loopsOf(world)
    .flatMap(({ pending }) => pending.map(({ key, type }) => `${type} ${key}`))
    .slice(0, 4)
    .join(', ');
}
