/** What a loop does in SHIP: the branch moves, the repository's own checks are awaited, the draft becomes ready. Pure; one handler per event. */
import type { Event } from './event.ts';
import { allPassed, verdictsOf } from './gates.ts';
import { judge, NO_FINDINGS } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { collect } from './runs.ts';
import { only, stop } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** How long the repository's own checks are awaited, in seconds (PRODUCT.md, SHIP). */
const CHECKS_SECONDS = 3600;

/** Moves the branch to the verified candidate; also what `/release` does. */
export function promote(loop: Loop): Decision {
  const { waitingFor: _, ...rest } = loop;
  return {
    loop: { ...rest, status: 'working' },
    effects: [{ type: 'promote', key: `${loop.entry}/promote`, entry: loop.entry }],
  };
}

export function promoted(loop: Loop, event: Of<'promoted'>): Decision {
  return inspect({ ...loop, head: event.head, promotedAt: event.at }, event.at);
}

export function checked(loop: Loop, event: Of<'checked'>): Decision {
  const verdicts = verdictsOf('SHIP', event.measurements, loop.surface);
  if (!allPassed(verdicts)) {
    const { promotedAt: _, ...unpromoted } = loop;
    return judge(unpromoted, event);
  }
  return {
    loop: { ...loop, checks: event.measurements },
    effects: [{ type: 'ready', key: `${loop.entry}/ready`, entry: loop.entry }],
  };
}

export function readied(loop: Loop, event: Of<'readied'>): Decision {
  return judge(loop, { at: event.at, ...NO_FINDINGS, measurements: loop.checks });
}

/** The one timer of SHIP asks for the checks; that somebody heard of them asks for nothing more. */
export function heard(loop: Loop, _event: Of<'heard'>): Decision {
  return only(loop);
}

export function elapsed(loop: Loop, event: Of<'elapsed'>): Decision {
  if (event.timer === 'run') return collect(loop);
  if (loop.promotedAt === undefined || loop.phase !== 'SHIP') return only(loop);
  const awaitedSeconds = (Date.parse(event.at) - Date.parse(loop.promotedAt)) / 1000;
  if (awaitedSeconds > CHECKS_SECONDS)
    return stop(loop, "The repository's own checks did not finish within 60 minutes; look at them and then `/rerun`.");
  return inspect(loop, event.at);
}

function inspect(loop: Loop, at: string): Decision {
  const seconds = Math.max(1, Math.min(10, loop.limits.checksQuietSeconds));
  return {
    loop,
    effects: [
      { type: 'inspect', key: `${loop.entry}/inspect/${at}`, entry: loop.entry },
      { type: 'wait', key: `${loop.entry}/wait/checks/${at}`, entry: loop.entry, timer: 'checks', seconds },
    ],
  };
}
