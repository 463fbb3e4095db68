/** A loop of the made-up world whose pull request is ready, and the steps that lead there. */
import { decide, settle } from '../../src/loop/decide.ts';
import type { Effect } from '../../src/loop/effect.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { building, driven, runEnded, SHA } from './stands.ts';
import { measured, timeOf } from './world.ts';

/** When the draft became ready. */
export const READY_AT = timeOf(80);

function performed(loop: Loop, type: Effect['type'], outcome: Event): Loop {
  const effect = loop.pending.find((pending) => pending.type === type);
  if (effect === undefined) throw new Error(`no ${type} is pending in ${loop.phase}`);
  return settle(loop, effect.key, outcome).loop;
}

/** SHIP, just after the branch moved to what was built. */
export function promotedBy(loop: Loop): Loop {
  const shipping = runEnded(runEnded(loop));
  return performed(shipping, 'promote', { type: 'promoted', at: timeOf(70), entry: shipping.entry, head: SHA });
}

/** SHIP, when the repository's checks were found to be green. */
export function checkedGreen(loop: Loop): Loop {
  return decide(loop, {
    type: 'checked',
    at: timeOf(75),
    entry: loop.entry,
    measurements: measured('SHIP', true),
    defects: [],
    signature: '',
  }).loop;
}

/** REFLECT, just after the draft became ready. */
export function reflecting(loop: Loop = building()): Loop {
  const readying = checkedGreen(promotedBy(loop));
  return performed(readying, 'ready', { type: 'readied', at: READY_AT, entry: readying.entry });
}

/** The loop has ended. */
export function finished(loop?: Loop): Loop {
  return driven(reflecting(loop));
}
