/** A sentence to people, where the conversation is. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';

export async function reply(
  { key, target, text, mention }: EffectOf<'reply'>,
  { ref, review }: Loop,
  { github, store }: Ports,
): Promise<undefined> {
  const number = target === 'pull' ? (review?.pull ?? ref.issue) : ref.issue;
  const marker = `${ref.n}/${key}`;
  await github.comment(ref, number, {
    marker,
    isNew: await store.begins(idOf(ref), marker),
    body: text,
    ...(mention === undefined ? {} : { mention: [mention] }),
  });
}
