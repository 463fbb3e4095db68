/** What migration 3 does: remembers what people said by GitHub's own id for it, so that a webhook that is brought again under another id says nothing new. */
import { z } from 'zod';
import type { Queries } from './tables.ts';

export const HEARD: readonly string[] = [
  `create table heard (
    repository_id bigint not null,
    said text not null,
    primary key (repository_id, said)
  )`,
];

/** As far as it matters, and as it was before this migration. */
const commanded = z.looseObject({ type: z.literal('commanded'), commentId: z.int() });
/** Commands were counted from here within a delivery. */
const FIRST_ORDINAL = 2;
const PAGE = 100;

/** Remembers the commands in the logs that are there. */
export async function fillHeard(trx: Queries): Promise<void> {
  let after = 0;
  for (;;) {
    const loops = await trx
      .selectFrom('loops')
      .select(['id', 'serial', 'repository_id'])
      .where('serial', '>', after)
      .orderBy('serial')
      .limit(PAGE)
      .execute();
    for (const loop of loops) await fillFrom(trx, loop);
    const last = loops.at(-1);
    if (last === undefined) return;
    after = last.serial;
  }
}

async function fillFrom(trx: Queries, loop: { readonly id: string; readonly repository_id: number }): Promise<void> {
  const rows = await trx
    .selectFrom('loop_log')
    .select(['event', 'ordinal'])
    .where('loop_id', '=', loop.id)
    .where('event', 'like', '%"commanded"%')
    .orderBy('seq')
    .execute();
  const counts = new Map<number, number>();
  const said = rows.flatMap(({ event, ordinal }) => {
    const read = commanded.safeParse(JSON.parse(event ?? 'null'));
    if (!read.success) return [];
    const { commentId } = read.data;
    // Before migration 2 no ordinal was kept: then they are counted.
    const counted = counts.get(commentId) ?? 0;
    counts.set(commentId, counted + 1);
    return [`comment/${commentId}/${ordinal === null ? counted : ordinal - FIRST_ORDINAL}`];
  });
  if (said.length === 0) return;
  await trx
    .insertInto('heard')
    .values(said.map((one) => ({ repository_id: loop.repository_id, said: one })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
