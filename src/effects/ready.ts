/** Takes the pull request out of draft: from now on a person may merge it. */
import { headOf, pushOf } from '../context/branch-push.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

export async function ready(
  { entry }: EffectOf<'ready'>,
  loop: ReviewedLoop,
  { github, clock }: Ports,
): Promise<Event> {
  await github.markReady(loop.ref, loop.review.nodeId);
  return { type: 'readied', at, entry };
}
