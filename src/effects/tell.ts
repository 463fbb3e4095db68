/** Longer texts that are rendered when they are said. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { asStarted } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { helpText } from '../render/help.ts';
import { problemReport } from '../render/problem.ts';
import { statusText } from '../render/status.ts';
import { mentioning } from './mention.ts';

const TEXTS = {
  status: statusText,
  help: () => helpText(),
  problem: (loop: Loop) => problemReport(asStarted(loop)),
} as const;

/** Says a longer text where it was asked for, or where the conversation is. */
export async function tell(
  { key, what, target, said, also = [] }: EffectOf<'tell'>,
  loop: Loop,
  { github, store }: Ports,
): Promise<undefined> {
  const number = target === 'issue' ? loop.ref.issue : (loop.review?.pull ?? loop.ref.issue);
  const marker = `${loop.ref.n}/${key}`;
  await github.comment(loop.ref, number, {
    marker,
    isNew: await store.begins(idOf(loop.ref), marker),
    body: [...(said === undefined ? [] : [said]), ...[what, ...also].map((one) => TEXTS[one](loop))].join('\n\n'),
    ...mentioning(loop.started?.by),
  });
}
