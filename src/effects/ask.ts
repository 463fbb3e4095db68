/** DISCOVER asks people: one comment for each interview round. */
import type { EffectOf } from '../loop/effect.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { questionsComment } from '../render/questions.ts';
import { mentioning } from './mention.ts';

/** Posts the questions of one interview round; they mention who wrote the issue. */
export async function ask(
  { interview }: EffectOf<'ask'>,
  loop: StartedLoop,
  { github, store }: Ports,
): Promise<undefined> {
  const marker = `ask/${loop.ref.n}/${interview}`;
  await github.comment(loop.ref, loop.ref.issue, {
    marker,
    isNew: await store.begins(idOf(loop.ref), marker),
    body: questionsComment(loop),
    ...mentioning(loop.started.issue.author),
  });
}
