/** Takes back a label that started nothing. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';

export async function unlabel({ name }: EffectOf<'unlabel'>, { ref }: Loop, { github }: Ports): Promise<undefined> {
  await github.removeLabel(ref, ref.issue, name);
}
