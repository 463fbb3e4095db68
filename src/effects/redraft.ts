/** Turns a pull request that was sent back into a draft again: nobody merges what is being built anew. */
import { pushOf } from '../context/branch-push.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

/**
 * Repeating it changes nothing. A loop that has ended hears of no push, so what people pushed to the ready pull request is found here; one that was
 * closed or merged meanwhile ends the loop.
 */
export async function redraft(
  _effect: EffectOf<'redraft'>,
  loop: ReviewedLoop,
  ports: Ports,
): Promise<Event | undefined> {
  const { github, clock } = ports;
  const { state, draft, merged, headSha: head } = await github.pull(loop.ref, loop.review.pull);
  const at = clock.now().toISOString();
  if (state === 'closed') return { type: 'ended', at, how: merged ? 'pull request merged' : 'pull request closed' };
  if (!draft) await github.markDraft(loop.ref, loop.review.nodeId);
  return head === loop.review.head ? undefined : pushOf(loop, { head, at, by: undefined }, ports);
}
