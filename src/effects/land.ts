/** VERIFY begins: the accepted change becomes a commit on the quarantine ref, which starts no workflow. */
import { groundMoved } from '../context/branch-push.ts';
import { storedText } from '../documents/document-texts.ts';
import { StoreError } from '../errors.ts';
import { type BuildReport, buildReport, type FileChange, type SeedReport, seedReport } from '../loop/brief.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

/** Commits build and seed together on top of the loop branch's head, unless that moved. Repeating it changes nothing. */
export async function land(_effect: EffectOf<'land'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { github, workspace, clock } = ports;
  const moved = await groundMoved(loop, ports);
  if (moved !== undefined) return moved;
  const { build, seed } = await reportsOf(loop, ports);
  const message = `Build the plan of #${loop.ref.issue}\n\nMade by Loopwright in iteration ${loop.counters.iterations}; not yet verified.`;
  const ref = quarantineRefOf(loop);
  const changes = merged(build.changes, seed.changes);
  const commit = await github.commit(loop.ref, { ref, parent: loop.review.head, changes, message });
  await github.moveRef(loop.ref, ref, commit.sha);
  return {
    type: 'landed',
    at: clock.now().toISOString(),
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
  loop: ReviewedLoop,
  { store }: Pick<Ports, 'store'>,
): Promise<{ readonly build: BuildReport; readonly seed: SeedReport }> {
  const { build, seed } = loop.built.reports;
  if (build === undefined || seed === undefined)
    throw new StoreError(`entry ${loop.entry} has no stored build and seed report to land`);
  return {
    build: buildReport.parse(JSON.parse(await storedText(store, build))),
    seed: seedReport.parse(JSON.parse(await storedText(store, seed))),
  };
}

/** The later change of a path wins. */
function merged(first: readonly FileChange[], second: readonly FileChange[]): readonly FileChange[] {
  return [...new Map([...first, ...second].map((change) => [change.path, change])).values()];
}
