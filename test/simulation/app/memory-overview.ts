/** The overview of loops, from memory. */
import { OPEN } from '../../../src/adapters/database/loop-rows.ts';
import { awaitsMerge } from '../../../src/loop/people/handed-over.ts';
import { idOf } from '../../../src/loop/terms.ts';
import type { LoopOverview, Store } from '../../../src/ports.ts';
import type { LoopRow } from './database.ts';

type Filter = Parameters<Store['overview']>[0];

export function overviewOf(
  rows: readonly LoopRow[],
  { repositoryId, open, withheld, awaitsMerge: awaits, limit, before }: Filter,
): readonly LoopOverview[] {
  return rows
    .filter(
      ({ loop, serial }) =>
        (repositoryId === undefined || loop.ref.repositoryId === repositoryId) &&
        (open === undefined || OPEN.some((status) => status === loop.status) === open) &&
        (withheld === undefined || loop.withheld !== undefined) &&
        (awaits === undefined || awaitsMerge(loop)) &&
        (before === undefined || serial < before),
    )
    .toSorted((left, right) => right.serial - left.serial)
    .slice(0, limit)
    .map(({ loop, serial }) => ({
      id: idOf(loop.ref),
      ref: loop.ref,
      // A database takes no NUL.
      title: (loop.started?.issue.title ?? '').replaceAll('\0', ''),
      status: loop.status,
      phase: loop.phase,
      waitingFor: loop.waitingFor,
      priority: loop.priority,
      withheld: loop.withheld?.reason.replaceAll('\0', ''),
      pull: loop.review?.pull,
      startedAt: loop.started?.at ?? '',
      usd: loop.spent.usd,
      cursor: serial,
    }));
}
