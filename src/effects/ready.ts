/** Takes the pull request out of draft: from now on a person may merge it. */
import { advanceSince } from '../context/base-move.ts';
import { headOf, pushOf } from '../context/branch-push.ts';
import { mayMergeBase } from '../loop/behind.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

/**
 * What is handed over is what was judged: a commit of which no webhook told yet goes back to be built on, and a base that went on is merged and
 * proved with it, or people are told that it is not.
 */
export async function ready({ entry }: EffectOf<'ready'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const head = await headOf(loop, ports);
  const at = ports.clock.now().toISOString();
  if (head !== loop.review.head) return pushOf(loop, { head, at, by: undefined }, ports);
  const advance = await advanceSince(loop, ports);
  if (advance !== undefined && mayMergeBase(loop, advance)) return { type: 'behind', at, entry, ...advance };
  await ports.github.markReady(loop.ref, loop.review.nodeId);
  return { type: 'readied', at, entry, ...(advance && { outdated: advance }) };
}
