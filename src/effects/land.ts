/** VERIFY begins: the accepted change becomes a commit on the quarantine ref, which starts no workflow. */
import { groundMoved } from '../context/branch-push.ts';

import { storedReport } from '../documents/stored-report.ts';
import { StoreError } from '../errors.ts';
import type { Merge } from '../github/github-port.ts';
import { listed } from '../loop/behind.ts';
import { type BuildReport, buildReport, type FileChange, type SeedReport, seedReport } from '../loop/brief.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { mergeInto, refusedMerge } from './publish.ts';

/**
 * Commits build and seed together on top of the loop branch's head. Reports hold whole files, so they land on no other commit than
 * the one they were made on: anything else would undo what people pushed between. Repeating it changes nothing.
 */
export async function land(_effect: EffectOf<'land'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { github, workspace, clock, store } = ports;
  const { build, seed } = await reportsOf(loop, ports);
  const { head } = loop.review;
  const stray = [build, seed].find(({ candidate }) => candidate !== head);
  if (stray !== undefined && (await holdsCandidate(loop, ports))) return landMerged(loop, ports);
  const moved = await groundMoved(loop, ports);
  if (moved !== undefined) return moved;
  if (stray !== undefined) return madeElsewhere(stray, loop, clock);
  const message = `Build the plan of #${loop.ref.issue}\n\nMade by Loopwright in iteration ${loop.counters.iterations}; not yet verified.`;
  const ref = quarantineRefOf(loop);
  const changes = merged(build.changes, seed.changes);
  const isNew = await store.begins(idOf(loop.ref), ref);
  const known = isNew ? { known: { at: undefined } } : {};
  const commit = await github.commit(loop.ref, { ref, parent: head, changes, message, ...known });
  await github.moveRef(loop.ref, ref, commit.sha, { at: commit.before });
  return {
    type: 'landed',
    at: clock.now().toISOString(),
    entry: loop.entry,
    candidate: commit.sha,
    codeTree: await workspace.codeTree(loop.ref, commit.sha),
  };
}

/** Whether the branch has what was proved before, and nothing else. */
async function holdsCandidate({ ref, review, built }: ReviewedLoop, { workspace }: Ports): Promise<boolean> {
  return built.candidate !== undefined && (await workspace.codeTree(ref, review.head)) === built.candidate.codeTree;
}

/** Merges the base into the branch, as people would: both sides were judged, and what comes of them is proved before it is handed over. */
async function landMerged(loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { entry, review, started } = loop;
  const at = ports.clock.now().toISOString();
  const merge = await mergeInto(loop, review.head, ports);
  const { base, branch } = started;
  const forPeople = (because: string): Event => {
    const reason = `${because}; merge ${base.branch} into ${branch} and say \`/rerun\`.`;
    return { type: 'failed', at, entry, cause: 'conflict', reason, calls: [] };
  };
  if (merge !== undefined && 'conflicts' in merge)
    return forPeople(`The base ${base.branch} conflicts with ${branch} in ${listed(merge.conflicts)}`);
  try {
    const head = merge === undefined ? await headUnmoved(loop, ports) : await pushMerge(loop, merge, ports);
    if (typeof head !== 'string') return head;
    return {
      type: 'landed',
      at,
      entry,
      candidate: head,
      codeTree: await ports.workspace.codeTree(loop.ref, head),
      head,
    };
  } catch (error) {
    const because = await refusedMerge(error, loop, ports);
    if (because === undefined) throw error;
    return forPeople(because);
  }
}

/** The branch's head, which holds the base already, or what moved meanwhile. */
async function headUnmoved(loop: ReviewedLoop, ports: Ports): Promise<string | Event> {
  return (await groundMoved(loop, ports)) ?? loop.review.head;
}

/** The merge commit, which is the branch's head then, or what moved meanwhile. Repeating it changes nothing. */
async function pushMerge(loop: ReviewedLoop, merge: Merge, ports: Ports): Promise<string | Event> {
  const { ref: repository, review, started } = loop;
  const ref = `refs/heads/${started.branch}`;
  const message = `Merge ${started.base.branch} for #${repository.issue}, to be verified with it`;
  const { sha, before } = await ports.github.commit(repository, {
    ref,
    parent: review.head,
    changes: [],
    message,
    merge,
  });
  if (before === sha) return sha;
  const moved = await groundMoved(loop, ports, before);
  if (moved !== undefined) return moved;
  await ports.github.moveRef(repository, ref, sha, { at: before });
  return sha;
}

function madeElsewhere(
  { candidate }: BuildReport | SeedReport,
  { entry, review }: ReviewedLoop,
  clock: Ports['clock'],
): Event {
  const reason = `The candidate was made on ${candidate.slice(0, 7)}, and the branch is at ${review.head.slice(0, 7)}.`;
  return { type: 'failed', at: clock.now().toISOString(), entry, cause: 'work', reason, calls: [] };
}

/** Where a candidate lies until it is judged: outside branches and tags. */
export function quarantineRefOf({ ref, entry }: Loop): string {
  return `refs/loopwright/${ref.issue}/${ref.n}/${entry}`;
}

async function reportsOf(
  loop: ReviewedLoop,
  { store }: Pick<Ports, 'store'>,
): Promise<{ readonly build: BuildReport; readonly seed: SeedReport }> {
  const { reports } = loop.built;
  const build = await storedReport(store, reports.build, buildReport);
  const seed = await storedReport(store, reports.seed, seedReport);
  if (build === undefined || seed === undefined)
    throw new StoreError(`entry ${loop.entry} has no stored build and seed report to land`);
  return { build, seed };
}

/** The later change of a path wins. */
function merged(first: readonly FileChange[], second: readonly FileChange[]): readonly FileChange[] {
  return [...new Map([...first, ...second].map((change) => [change.path, change])).values()];
}
