/** A sentence to people, where the conversation is. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';

export async function reply(
  { key, target, text, mention }: EffectOf<'reply'>,
  { ref, review }: Loop,
  { github }: Ports,
): Promise<undefined> {
  const number = target === 'pull' ? (review?.pull ?? ref.issue) : ref.issue;
  await github.comment(ref, number, {
    marker: `${ref.n}/${key}`,
    body: text,
    ...(mention === undefined ? {} : { mention: [mention] }),
  });
}
