/** Checks of the repository that ended without a verdict: they are a person's to run again, and nobody builds for them. Pure. */
import type { EventOf } from './event.ts';
import type { Decision } from './loop.ts';
import { say } from './people/people.ts';
import { armed, checked, deferred } from './shipping.ts';
import type { StartedLoop } from './stages.ts';
import { emit, only } from './walk.ts';

/** A webhook may be lost: where a person is awaited, the checks are looked at all the same, after so many seconds. */
const UNHEARD_SECONDS = 3600;

/** Not all checks have a verdict: those at work are awaited, those that will never have one are a person's. */
export function deferredOrLeft(loop: StartedLoop, event: EventOf<'deferred'>): Decision {
  const { rerun } = event;
  return rerun === undefined ? deferred(atWork(loop, event.at), event) : awaitingRerun(loop, { at: event.at, rerun });
}

/** All have one, perhaps since a person ran them again. */
export function checkedAtLast(loop: StartedLoop, event: EventOf<'checked'>): Decision {
  return checked(atWork(loop, event.at), event);
}

/** People are asked once; what becomes of the checks is heard. */
function awaitingRerun(
  loop: StartedLoop,
  { at, rerun }: { readonly at: string; readonly rerun: readonly string[] },
): Decision {
  const { shipping, started, entry, seq } = loop;
  if (shipping === undefined) return only(loop);
  const waiting: StartedLoop = { ...loop, status: 'waiting', waitingFor: 'rerun' };
  const isAsked = rerun.join('\n') === shipping.rerun?.join('\n');
  const text = `@${started.by.login}, ${rerunSentence(rerun)}`;
  const decision = armed(waiting, { ...shipping, rerun: [...rerun], waitsFor: [] }, at, UNHEARD_SECONDS);
  return isAsked ? decision : emit(decision, say(`${entry}/rerun/${seq}`, 'pull', text));
}

/** What people do about checks without a verdict. */
export function rerunSentence(names: readonly string[]): string {
  const which = names.map((name) => `\`${name}\``).join(', ');
  const [they, them] =
    names.length === 1 ? ['this check of the repository', 'it'] : ['these checks of the repository', 'them'];
  return `${they} ended without a verdict (cancelled, timed out, or never started): ${which}. Run ${them} again on GitHub; the loop goes on by itself then.`;
}

/** The checks run again: their hour begins anew. */
function atWork(loop: StartedLoop, at: string): StartedLoop {
  const { shipping, waitingFor, ...rest } = loop;
  if (waitingFor !== 'rerun' || shipping === undefined) return loop;
  // Which ones people were asked for stays: nobody is asked twice.
  return { ...rest, status: 'working', shipping: { ...shipping, promotedAt: at } };
}
