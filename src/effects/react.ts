/** The one reaction that each command gets. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';

export async function react(
  { commentId, content }: EffectOf<'react'>,
  { ref }: Loop,
  { github }: Ports,
): Promise<undefined> {
  await github.react(ref, commentId, content);
}
