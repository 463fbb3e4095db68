/** What anybody can see of the processes: comments and reactions, checks, runs, pull requests, and the webhooks that did not arrive. */
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openState } from '../../src/local/state.ts';
import { eventually } from './acts.ts';
import type { Processes } from './processes.ts';

/** Several loops share the machine with what is waited for. */
const PATIENCE_MS = 600_000;

const commentRows = z.array(
  z.object({ id: z.int(), body: z.string(), created_at: z.string(), user: z.object({ login: z.string() }) }),
);
const pullRows = z.array(
  z.object({
    number: z.int(),
    state: z.string(),
    draft: z.boolean(),
    body: z.string(),
    head: z.object({ sha: z.string() }),
  }),
);
const runRows = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.int(),
      status: z.string(),
      conclusion: z.string().nullable(),
      display_title: z.string(),
      head_branch: z.string(),
      event: z.string(),
    }),
  ),
});
const checkRows = z.object({
  check_runs: z.array(
    z.object({ name: z.string(), conclusion: z.string().nullable(), app: z.object({ slug: z.string() }) }),
  ),
});
const reactionRows = z.array(z.object({ content: z.string() }));

export type Pull = z.infer<typeof pullRows>[number];

export async function pullsOf({ as }: Pick<Processes, 'as'>): Promise<readonly Pull[]> {
  return pullRows.parse(await as('GET', '/pulls?state=all'));
}

export async function runsOf({ as }: Pick<Processes, 'as'>): Promise<z.infer<typeof runRows>['workflow_runs']> {
  return runRows.parse(await as('GET', '/actions/runs?per_page=100')).workflow_runs;
}

/** Waits until a run whose title begins so has fetched from the App what it needs, as the runner's own folder shows. */
export async function jobFetched(processes: Processes, title: string): Promise<void> {
  const isFetched = async () => {
    for (const { id } of (await runsOf(processes)).filter((run) => run.display_title.startsWith(title))) {
      const briefs = glob(`runner/work/${id}-*/temp/loopwright/brief.json`, { cwd: processes.directory });
      if ((await Array.fromAsync(briefs)).length > 0) return true;
    }
    return false;
  };
  await eventually(isFetched, `the job of ${title}`, PATIENCE_MS);
}

/** All that were ever made on a commit, or the newest of each name. */
export async function checksOn(
  { as }: Pick<Processes, 'as'>,
  sha: string,
  filter: 'all' | 'latest',
): Promise<z.infer<typeof checkRows>['check_runs']> {
  return checkRows.parse(await as('GET', `/commits/${sha}/check-runs?filter=${filter}&per_page=100`)).check_runs;
}

export async function commentsOn({ as }: Pick<Processes, 'as'>, number: number): Promise<z.infer<typeof commentRows>> {
  return commentRows.parse(await as('GET', `/issues/${number}/comments?per_page=100`));
}

export async function reactionsTo({ as }: Pick<Processes, 'as'>, commentId: number): Promise<readonly string[]> {
  return reactionRows.parse(await as('GET', `/issues/comments/${commentId}/reactions`)).map(({ content }) => content);
}

/** Whether the App has written a comment there whose marker begins so. */
export async function isMarkedOn(processes: Pick<Processes, 'as'>, number: number, start: string): Promise<boolean> {
  return (await commentsOn(processes, number)).some(({ body }) => markerOf(body)?.startsWith(start));
}

export function markerOf(body: string): string | undefined {
  return /<!-- loopwright:(\S+) -->/.exec(body)?.[1];
}

/** Webhooks that did not arrive, as the embedded GitHub remembers them; those that arrived later are not left out. */
export function undelivered({ directory }: Pick<Processes, 'directory'>): readonly Undelivered[] {
  const state = openState(join(directory, 'github'));
  try {
    return state.deliveries.find({}).filter(({ state: how }) => how === 'failed');
  } finally {
    state.close();
  }
}

export interface Undelivered {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action?: string | undefined;
  readonly outcome: string;
  readonly redelivery: boolean;
  readonly deliveredAt: string;
  readonly payload: string;
}

/** Waits until GitHub could not deliver a webhook of this name whose payload says so. */
export async function lost(processes: Processes, name: string, says: string): Promise<void> {
  const isIt = ({ event, action, payload }: Undelivered) => `${event}.${action}` === name && payload.includes(says);
  await eventually(async () => undelivered(processes).some(isIt), `a lost ${name} that says ${says}`, PATIENCE_MS);
}

/** What people see, and the folder of GitHub's data where the test can read it. */
export interface Seen extends Pick<Processes, 'as'> {
  readonly directory?: string;
}

/** Everything that explains where a loop stands, as text. */
export async function storyOf(processes: Seen, issue: number): Promise<string> {
  const pulls = await pullsOf(processes);
  const numbers = [issue, ...pulls.map(({ number }) => number)];
  return [
    ...pulls.map(({ body }) => body),
    ...(await runsOf(processes)).map((run) => `run ${run.display_title} ${run.status} ${run.conclusion}`),
    ...(await Promise.all(numbers.map((number) => conversation(processes, number)))).flat(),
    ...(processes.directory === undefined ? [] : undelivered({ directory: processes.directory })).map(
      ({ id, guid, event, action, outcome, redelivery, deliveredAt }) =>
        `not delivered: ${id} ${guid} ${event}.${action ?? ''} ${deliveredAt} ${outcome}${redelivery ? ', a redelivery' : ''}`,
    ),
  ].join('\n');
}

async function conversation(processes: Pick<Processes, 'as'>, number: number): Promise<readonly string[]> {
  const comments = await commentsOn(processes, number);
  return Promise.all(
    comments.map(async ({ id, body, created_at: at, user }) => {
      const said = markerOf(body) ?? `${user.login}: ${body}`;
      return `#${number} ${at} ${said.split('\n')[0]} [${(await reactionsTo(processes, id)).join(' ')}]`;
    }),
  );
}
