/** Sets a timer; it comes back as `elapsed` with the key of this effect. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';

export async function wait(
  { key, entry, timer, seconds }: EffectOf<'wait'>,
  { ref }: Loop,
  { queue }: Ports,
): Promise<undefined> {
  await queue.send({ type: 'elapse', loopId: idOf(ref), key, entry, timer }, seconds);
}
