/** VERIFY begins: the accepted change becomes a commit on the quarantine ref, which starts no workflow. */

import { storedReport } from '../documents/stored-report.ts';
import { StoreError } from '../errors.ts';
import { type BuildReport, buildReport, type FileChange, type SeedReport, seedReport } from '../loop/brief.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';

/** The little that landing needs of the ports. */
export interface Landing {
  readonly github: Pick<Ports['github'], 'head' | 'commit' | 'moveRef'>;
  readonly workspace: Pick<Ports['workspace'], 'codeTree'>;
  readonly store: Pick<Ports['store'], 'blob'>;
  readonly clock: Ports['clock'];
}

/**
 * Commits build and seed together on top of the loop branch's head. Reports hold whole files, so they land on no other commit than
 * the one they were made on: anything else would undo what people pushed between. Repeating it changes nothing.
 */
export async function land(loop: Loop, ports: Landing): Promise<Event> {
  const { github, workspace, clock } = ports;
  const at = clock.now().toISOString();
  const parent = await github.head(loop.ref, `refs/heads/${loop.branch}`);
  const { build, seed } = await reportsOf(loop, ports);
  if (parent === undefined || [loop.head, build.candidate, seed.candidate].some((sha) => sha !== parent)) {
    return {
      type: 'failed',
      at,
      entry: loop.entry,
      cause: 'moved',
      reason: `The branch ${loop.branch} moved to ${parent?.slice(0, 7) ?? 'nothing'} after the candidate was made on ${build.candidate.slice(0, 7)}.`,
      calls: [],
    };
  }
  const message = `Build the plan of #${loop.ref.issue}\n\nMade by Loopwright in iteration ${loop.counters.iterations}; not yet verified.`;
  const ref = quarantineRefOf(loop);
  const commit = await github.commit(loop.ref, {
    ref,
    parent,
    changes: merged(build.changes, seed.changes),
    message,
  });
  await github.moveRef(loop.ref, ref, commit.sha);
  return {
    type: 'landed',
    at,
    entry: loop.entry,
    candidate: commit.sha,
    codeTree: await workspace.codeTree(loop.ref, commit.sha),
  };
}

/** Where a candidate lies until it is judged: outside branches and tags. */
export function quarantineRefOf({ ref, entry }: Loop): string {
  return `refs/loopwright/${ref.issue}/${ref.n}/${entry}`;
}

async function reportsOf(
  { entry, reports }: Loop,
  { store }: Pick<Landing, 'store'>,
): Promise<{ readonly build: BuildReport; readonly seed: SeedReport }> {
  const build = await storedReport(store, reports.build, buildReport);
  const seed = await storedReport(store, reports.seed, seedReport);
  if (build === undefined || seed === undefined)
    throw new StoreError(`entry ${entry} has no stored build and seed report to land`);
  return { build, seed };
}

/** The later change of a path wins. */
function merged(first: readonly FileChange[], second: readonly FileChange[]): readonly FileChange[] {
  return [...new Map([...first, ...second].map((change) => [change.path, change])).values()];
}
