/** Starting a run exactly once, at a GitHub that answers late or never and lists runs late. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UnansweredError, WriteRefusedError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import { eventually, HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

const FILE = 'loopwright-build.yml';
const BUILD = `run-name: loopwright-build \${{ inputs.loop }} entry \${{ inputs.entry }} (\${{ inputs.phase }})
on:
  workflow_dispatch:
    inputs:
      loop: { type: string, required: true }
      entry: { type: string, required: true }
      phase: { type: string, required: true }
jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: sleep 60 }] } }
`;

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  stage = await startStage({ files: { [`.github/workflows/${FILE}`]: BUILD }, executeWorkflow: executeHere });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
});
afterAll(() => stage.close());

let entry = 0;
let inputs: Readonly<Record<string, string>>;
beforeEach(() => {
  entry += 1;
  inputs = { loop: 'alice/toys#1', entry: String(entry), phase: 'BUILD' };
});

interface Weather {
  /** Dispatches that never get an answer: their work is done (`after`), or they never arrive (`before`). */
  readonly unanswered?: readonly ('after' | 'before' | 502)[];
  /** Whether lists of runs leave out what this entry started. */
  readonly lists?: () => boolean;
  /** Which of the two lists is late. */
  readonly late?: (path: string) => boolean;
}

/** An App whose way to GitHub is as told; `posts` counts the dispatches that were sent. */
function appIn({ unanswered = [], lists = () => true, late = () => true }: Weather = {}) {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const through = wire({ apiUrl, checked: true });
  const left = [...unanswered];
  const posts: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/dispatches')) {
      posts.push(pathname);
      const fate = left.shift();
      if (fate === 502 || fate === 'after') await through(request);
      if (fate === 502) return Response.json({ message: 'Server Error' }, { status: 502 });
      if (fate !== undefined) throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    }
    const answer = await through(request);
    if (!pathname.endsWith('/runs') || lists() || !late(pathname)) return answer;
    const empty = Response.json({ total_count: 0, workflow_runs: [] });
    return Object.defineProperty(empty, 'url', { value: request.url });
  };
  const log = pino({ level: 'silent' });
  return { ...createGitHub({ appId, privateKey, apiUrl, fetch, pauseMs: 1, log }), posts };
}

/** Runs of this entry that the App started, oldest first: id and whether it goes on. */
async function started() {
  const { data } = await stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, per_page: 100 });
  return data.workflow_runs
    .filter(({ display_title: title }) => title.includes(` entry ${entry} `))
    .map(({ id, status, conclusion }) => ({ id, open: status !== 'completed', conclusion }))
    .toReversed();
}

/** Ends what the test started, so that no later one waits for a free runner. */
async function ended(): Promise<void> {
  for (const { id, open } of await started())
    if (open) await stage.as('alice').rest.actions.cancelWorkflowRun({ ...HERE, run_id: id });
  await eventually(async () => (await started()).every(({ open }) => !open), 'the runs have ended');
}

const dispatch = (app: ReturnType<typeof appIn>, attempt: number) => app.dispatch(repository, FILE, inputs, attempt);

test.each(['after', 'before', 502] as const)(
  'a dispatch that got no answer (%s) is sent once, and says so',
  async (fate) => {
    const app = appIn({ unanswered: [fate] });
    const asked = dispatch(app, 1);
    await expect(asked).rejects.toThrow(UnansweredError);
    await expect(asked).rejects.toMatchObject({ status: fate === 502 ? 502 : undefined });
    expect(app.posts).toHaveLength(1);
    await ended();
  },
);

test('the run of an unanswered dispatch is found by the next attempt, though GitHub lists it late', async () => {
  await expect(dispatch(appIn({ unanswered: ['after'] }), 1)).rejects.toThrow(UnansweredError);
  let listed = false;
  const app = appIn({ lists: () => listed });
  for (const attempt of [2, 3]) await expect(dispatch(app, attempt)).rejects.toThrow(UnansweredError);
  listed = true;
  const runs = await started();
  expect(await dispatch(app, 4)).toBe(runs[0]?.id);
  expect([runs.length, app.posts.length]).toEqual([1, 0]);
  await ended();
});

test.each([
  ['the workflow', (path: string) => !path.includes('/workflows/')],
  ['the repository', (path: string) => path.includes('/workflows/')],
])('a run that only the list of %s shows is found', async (_, late) => {
  const id = await dispatch(appIn(), 1);
  const app = appIn({ lists: () => false, late });
  expect(await dispatch(app, 2)).toBe(id);
  expect(app.posts).toHaveLength(0);
  await ended();
});

test('an unanswered dispatch that never arrived is sent again by the seventh attempt, and not before', async () => {
  await expect(dispatch(appIn({ unanswered: ['before'] }), 1)).rejects.toThrow(UnansweredError);
  const app = appIn();
  for (const attempt of [2, 3, 4, 5, 6]) await expect(dispatch(app, attempt)).rejects.toThrow(UnansweredError);
  expect(app.posts).toHaveLength(0);
  const id = await dispatch(app, 7);
  expect((await started()).map((run) => run.id)).toEqual([id]);
  expect(app.posts).toHaveLength(1);
  await ended();
});

test('of two runs of one entry the earlier is kept and the other one cancelled', async () => {
  const hidden = { lists: () => false };
  const first = await dispatch(appIn(hidden), 1);
  const second = await dispatch(appIn(hidden), 1);
  expect(second).not.toBe(first);
  expect(await dispatch(appIn(), 2)).toBe(first);
  await eventually(async () => (await started()).some(({ open }) => !open), 'one of them has ended');
  expect(await started()).toMatchObject([
    { id: first, open: true },
    { id: second, open: false, conclusion: 'cancelled' },
  ]);
  await ended();
});

test('a late run that shows up only after the dispatch was sent again is cancelled, and what was sent is kept', async () => {
  await expect(dispatch(appIn({ unanswered: ['after'] }), 1)).rejects.toThrow(UnansweredError);
  const app = appIn({ lists: () => app.posts.length > 0 });
  const id = await dispatch(app, 7);
  await eventually(async () => (await started()).some(({ open }) => !open), 'the late one has ended');
  expect(await started()).toMatchObject([{ conclusion: 'cancelled' }, { id, open: true }]);
  expect(await dispatch(appIn(), 2)).toBe(id);
  await ended();
});

test('a dispatch that GitHub refuses is no unanswered one', async () => {
  const refused = appIn().dispatch(repository, FILE, { ...inputs, more: 'x' }, 1);
  await expect(refused).rejects.toThrow(WriteRefusedError);
});

test('a dispatch costs two requests where the default branch was asked for minutes ago, and looking for it again two', async () => {
  const app = appIn();
  await app.repository(repository);
  const count = async () => {
    const answer = await stage.as('alice').request(`GET ${stage.server.url}/_local/requests?after=${since}`);
    return answer.data.filter(({ actor }: { actor: string }) => actor === 'app').length;
  };
  let since = 0;
  const last = async () => {
    for (;;) {
      const { data } = await stage.as('alice').request(`GET ${stage.server.url}/_local/requests?after=${since}`);
      if (data.length === 0) return;
      since = data.at(-1).id;
    }
  };
  await last();
  await dispatch(app, 1);
  expect(await count()).toBe(2);
  await last();
  await dispatch(app, 2);
  expect(await count()).toBe(2);
  await ended();
});
