/** CI of another App on the head that SHIP promoted: 40 jobs, some of which appear when others have ended, a status, and a clock that a test moves through it. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openState } from '../../src/local/state.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { octokit } from '../local/server.ts';
import { eventually } from './acts.ts';
import { createPatrol, type VirtualTime } from './virtual-time.ts';
import type { World } from './world.ts';

export interface CiJob {
  readonly name: string;
  /** Seconds after the promotion. */
  readonly begins: number;
  readonly ends: number;
  readonly conclusion?: 'success' | 'failure';
}

export interface OtherApp {
  readonly slug: string;
  readonly token: string;
}

/** Registers another App: every push gives it a suite, whether it ever speaks or not. */
export async function otherApp({ github }: World, slug: string): Promise<OtherApp> {
  const answer = await fetch(`${github.url}/_local/apps`, { method: 'POST', body: JSON.stringify({ slug }) });
  return z.object({ slug: z.string(), token: z.string() }).parse(await answer.json());
}

const several = (name: string, count: number, of: (index: number) => Omit<CiJob, 'name'>): readonly CiJob[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${name} (${index + 1})`, ...of(index) }));

/** Each row begins when the one before has ended and its suite says `completed`: a look just then finds everything green. */
export const CI_JOBS: readonly CiJob[] = [
  { name: 'build', begins: 10, ends: 60 },
  ...several('test', 24, (index) => ({ begins: 130, ends: 160 + 20 * index })),
  ...several('e2e', 14, (index) => ({ begins: 700, ends: 740 + 50 * index })),
  { name: 'preview', begins: 1470, ends: 1520 },
];
export const LAST_JOB_ENDS = 1520;
const STATUS_AT = 3;
/** GitHub does not say before that whether it can be merged. */
const MERGEABLE_AT = 1800;
const PATROL_S = 30;
const HOUR_S = 3600;

export interface CiRun {
  readonly world: World;
  readonly time: VirtualTime;
  readonly issue: number;
  readonly app: OtherApp;
  readonly jobs: readonly CiJob[];
  readonly pull: () => Promise<{ readonly draft: boolean; readonly body: string; readonly mergeable: boolean | null }>;
}

export interface CiOutcome {
  /** The draft after each step of the CI before its last job had ended. */
  readonly draftWhile: readonly { readonly second: number; readonly draft: boolean }[];
  /** When the draft was seen to be ready; undefined if it never was. */
  readonly readyAfterS: number | undefined;
  /** When the loop was seen to have left SHIP. */
  readonly leftAfterS: number | undefined;
  readonly sawUnknownMergeable: boolean;
  /** First sentences of the pull request's text, as they changed. */
  readonly boards: readonly string[];
  /** What the App asked GitHub from the promotion until an hour after it, patrol included. */
  readonly requests: readonly string[];
}

interface Act {
  readonly second: number;
  readonly take: () => Promise<unknown>;
}

/** Goes through the hour after the promotion: what CI does, the patrol, and the App's own timers, each at its moment. */
export async function runCi({ world, time, issue, app, jobs, pull }: CiRun): Promise<CiOutcome> {
  const loop = asReviewed(await world.until(issue, ({ shipping }) => shipping?.promotedAt !== undefined));
  const sha = loop.review.head;
  const startMs = Date.parse(loop.shipping?.promotedAt ?? '');
  await set(world, { mergeableAfterMs: MERGEABLE_AT * 1000 });
  const acts = actsOf({ world, app, jobs, sha, repository: loop.ref });
  await greenAtOnce({ world, app, sha, promotedMs: startMs, repository: loop.ref });
  await ownWorkflowEnded(world, sha);
  const lastEnds = Math.max(...jobs.map(({ ends }) => ends));
  const secondOf = () => (time.now().getTime() - startMs) / 1000;
  const draftWhile: { second: number; draft: boolean }[] = [];
  const boards: string[] = [];
  let readyAfterS: number | undefined;
  let leftAfterS: number | undefined;
  let sawUnknownMergeable = false;
  while (true) {
    const next = Math.min(acts[0]?.second ?? HOUR_S, secondAt(time.nextTimerMs(), startMs), HOUR_S);
    if (next >= HOUR_S || (await world.loop(issue))?.phase === 'BUILD') break;
    await time.moveTo(startMs + next * 1000, world.github.url);
    const act = (acts[0]?.second ?? HOUR_S) <= secondOf() ? acts.shift() : undefined;
    await act?.take();
    await idle(world, issue);
    const { draft, body, mergeable } = await pull();
    const second = secondOf();
    if (second < lastEnds) draftWhile.push({ second, draft });
    if (!draft) readyAfterS ??= second;
    if ((await world.loop(issue))?.phase !== 'SHIP') leftAfterS ??= second;
    if (mergeable === null && second > lastEnds) sawUnknownMergeable = true;
    const [board = ''] = /^\*\*.*\*\*$/m.exec(body) ?? [];
    if (boards.at(-1) !== board) boards.push(board);
  }
  await set(world, { mergeableAfterMs: 0 });
  const requests = (await world.requests()).filter(
    ({ at, actor }) => Date.parse(at) >= startMs - 1000 && actor === 'app',
  );
  return {
    draftWhile,
    readyAfterS,
    leftAfterS,
    sawUnknownMergeable,
    boards,
    requests: requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`),
  };
}

function secondAt(moment: number | undefined, startMs: number): number {
  return moment === undefined ? HOUR_S : (moment - startMs) / 1000;
}

function actsOf({
  world,
  app,
  jobs,
  sha,
  repository: { owner, repo },
}: Pick<CiRun, 'world' | 'app' | 'jobs'> & {
  readonly sha: string;
  readonly repository: { readonly owner: string; readonly repo: string };
}): Act[] {
  const { checks } = octokit(world.github.url, app.token).rest;
  const ids = new Map<string, number>();
  const patrol = createPatrol(world.composed.ports);
  const begun = async ({ name }: CiJob) => {
    const { data } = await checks.create({ owner, repo, name, head_sha: sha, status: 'in_progress' });
    ids.set(name, data.id);
  };
  const ended = ({ name, conclusion = 'success' }: CiJob) =>
    checks.update({ owner, repo, check_run_id: ids.get(name) ?? 0, conclusion });
  const rounds = Array.from({ length: HOUR_S / PATROL_S - 1 }, (_, index) => ({
    second: (index + 1) * PATROL_S,
    take: patrol,
  }));
  const each = jobs.flatMap((job) => [
    { second: job.begins, take: () => begun(job) },
    { second: job.ends, take: () => ended(job) },
  ]);
  return [...each, ...rounds].toSorted((left, right) => left.second - right.second);
}

interface Early extends Pick<CiRun, 'world' | 'app'> {
  readonly sha: string;
  readonly promotedMs: number;
  readonly repository: { readonly owner: string; readonly repo: string };
}

/** A status that is there before anything else has begun, in the machine's time. */
async function greenAtOnce({ world, app, sha, promotedMs, repository: { owner, repo } }: Early): Promise<void> {
  await sleep(Math.max(0, STATUS_AT * 1000 - (Date.now() - promotedMs)));
  const { repos } = octokit(world.github.url, app.token).rest;
  await repos.createCommitStatus({ owner, repo, sha, state: 'success', context: 'DCO' });
}

async function set({ github }: World, switches: object): Promise<void> {
  await fetch(`${github.url}/_local/switches`, { method: 'PATCH', body: JSON.stringify(switches) });
}

const runs = z.object({ workflow_runs: z.array(z.object({ status: z.string() })) });

/** The repository's own workflow takes the machine's time. */
async function ownWorkflowEnded(world: World, sha: string): Promise<void> {
  await eventually(
    async () => {
      const { workflow_runs: found } = runs.parse(
        (await world.as('maria', 'GET', `/actions/runs?head_sha=${sha}`)).body,
      );
      return found.length > 0 && found.every(({ status }) => status === 'completed');
    },
    "the repository's own workflow has ended",
    120_000,
  );
}

/** Until what GitHub told has been taken in and everything that came of it is done. */
async function idle(world: World, issue: number): Promise<void> {
  const state = openState(join(world.directory, 'github'));
  try {
    const isIdle = async () =>
      state.deliveries.first({ state: 'pending' }) === undefined &&
      (await world.composed.ports.store.unreadRepositories()).length === 0 &&
      (await world.loop(issue))?.pending.length === 0;
    // What is said may only just be on its way.
    const staysIdle = async () => (await isIdle()) && sleep(30).then(isIdle);
    await eventually(staysIdle, 'everything is done', 600_000);
  } finally {
    state.close();
  }
}
