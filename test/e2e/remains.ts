/** What a loop left behind, in the App's store and for people to see: the same with and without a crash. */
import { join } from 'node:path';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import type { Loop, Verdict } from '../../src/loop/loop.ts';
import { phaseName } from '../../src/loop/terms.ts';
import type { Processes } from './processes.ts';
import { checksOn, commentsOn, markerOf, pullsOf, reactionsTo, runsOf } from './seen.ts';

export interface Remains {
  readonly status: string;
  /** Verdicts of each phase's last entry. */
  readonly phases: Readonly<Record<string, readonly string[]>>;
  readonly codeTree: string | undefined;
  /** Everything on GitHub that anybody sees, as kind and key. */
  readonly visible: readonly string[];
  /** Of all entries, in their order. */
  readonly serials: readonly number[];
  readonly iterations: number;
  /** Entries that died with their machine. */
  readonly cancelled: number;
}

/** Stops the App and reads what it left. */
export async function remainsOf(processes: Processes, issue: number): Promise<Remains> {
  await processes.stopApp();
  const loop = await storedLoop(processes);
  return {
    status: loop.status,
    phases: lastGates(loop),
    codeTree: loop.built.candidate?.codeTree,
    visible: await visibleOf(processes, issue),
    serials: loop.entries.map(({ entry }) => entry),
    iterations: loop.counters.iterations,
    cancelled: loop.entries.filter(({ outcome }) => outcome === 'cancelled').length,
  };
}

async function storedLoop({ directory }: Processes): Promise<Loop> {
  const engine = await openEngine({ url: join(directory, 'database') });
  try {
    const store = createStore(engine);
    const [newest, ...more] = await store.overview({ limit: 9 });
    const stored = await store.load(newest?.id ?? '');
    if (stored === undefined || more.length > 0) throw new Error(`${more.length} more loops are stored than one`);
    return stored.loop;
  } finally {
    await engine.close();
  }
}

async function visibleOf(processes: Processes, issue: number): Promise<readonly string[]> {
  const pulls = await pullsOf(processes);
  const comments = (
    await Promise.all([issue, ...pulls.map(({ number }) => number)].map((number) => commentsOn(processes, number)))
  ).flat();
  const reactions = comments.map(async ({ id, body, user }) =>
    (await reactionsTo(processes, id)).map(
      (content) => `reaction ${content} to ${markerOf(body) ?? `${user.login}: ${body}`}`,
    ),
  );
  const checks = pulls.map(async ({ head }) =>
    (await checksOn(processes, head.sha, 'all')).map(
      ({ name, conclusion, app }) => `check ${app.slug} ${name} ${conclusion}`,
    ),
  );
  return [
    ...pulls.map(({ draft }) => `pull ${draft ? 'draft' : 'ready'}`),
    ...comments.map(({ body, user }) => `comment ${markerOf(body) ?? `${user.login}: ${body}`}`),
    ...(await Promise.all(reactions)).flat(),
    ...(await Promise.all(checks)).flat(),
    ...(await runsOf(processes)).map(
      ({ event, head_branch, display_title, conclusion }) =>
        `run ${display_title} ${event} ${head_branch} ${conclusion}`,
    ),
  ].sort();
}

/** Measured times differ, so only whether they passed is told. */
function lastGates(loop: Loop): Readonly<Record<string, readonly string[]>> {
  const gateText = ({ name, value, passed }: Verdict) =>
    ['p95_ms', 'approval'].includes(name) ? `${name} ${passed}` : `${name} ${value} ${passed}`;
  return Object.fromEntries(
    phaseName.options.map((phase) => [
      phase,
      (loop.entries.findLast((entry) => entry.phase === phase)?.gates ?? []).map(gateText),
    ]),
  );
}
