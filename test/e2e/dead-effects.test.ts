/** What GitHub refuses for good under an effect: a comment that was deleted, a conversation that was locked. Within a minute the loop is as if it had not happened. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { commanded, commented, eventually, proposed } from './acts.ts';
import { createHeldRuns } from './held-runs.ts';
import { startWorld, type World } from './world.ts';

const MINUTE_MS = 60_000;
const held = createHeldRuns();
let world: World;
let issue: number;
let pull: number;

beforeAll(async () => {
  world = await startWorld({ executeWorkflow: held.execute });
  held.hold('loopwright-build.yml');
  const packet = await proposed(world, 'Search, among locked conversations');
  issue = packet.ref.issue;
  pull = packet.review.pull;
  await commanded(world, 'wout', issue, '/approve');
  await world.until(issue, ({ built }) => built.run !== undefined);
});
afterEach(() => lifted());
afterAll(() => world.close());

const local = async (method: string, path: string, body?: object): Promise<void> => {
  const answer = await fetch(`${world.github.url}/_local${path}`, {
    method,
    headers: { authorization: 'Bearer maria-token' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
};
const lifted = () => local('DELETE', '/faults');

/** Nothing but timers is left to do. */
async function still(number: number, patienceMs = MINUTE_MS): Promise<Loop | undefined> {
  const pending = async () => (await world.loop(number))?.pending.filter(({ type }) => type !== 'wait') ?? [];
  await eventually(async () => (await pending()).length === 0, `nothing is pending for #${number}`, patienceMs);
  return world.loop(number);
}

const standOf = (loop: Loop | undefined) =>
  loop && {
    status: loop.status,
    phase: loop.phase,
    entry: loop.entry,
    run: loop.built.run?.id,
    approval: loop.approval,
  };

interface Refusal {
  readonly case: string;
  readonly status: number;
  readonly body: { readonly message: string };
}

const REFUSALS: readonly Refusal[] = [
  { case: 'locked', status: 403, body: { message: 'Unable to create comment because issue is locked.' } },
  { case: 'deleted', status: 404, body: { message: 'Not Found' } },
  { case: 'gone', status: 410, body: { message: 'This issue was deleted' } },
  { case: 'not valid', status: 422, body: { message: 'Validation Failed' } },
];

interface Row {
  readonly effect: 'react' | 'reply' | 'tell';
  readonly method: string;
  readonly route: string;
  readonly says: string;
}

const COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
const COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const ROWS: readonly Row[] = [
  { effect: 'react', method: 'POST', route: `${COMMENT}/reactions`, says: '/help' },
  { effect: 'reply', method: 'POST', route: COMMENTS, says: '/rerun' },
  { effect: 'tell', method: 'POST', route: COMMENTS, says: '/status' },
];
const CASES = ROWS.flatMap((row) => REFUSALS.map((refusal) => ({ ...row, ...refusal, name: refusal.case })));

describe('an answer to somebody', () => {
  it.each(CASES)(
    '$effect that is refused because it is $name ($status) is dropped',
    async ({ method, route, says, status, body }) => {
      const before = standOf(await still(issue));
      await local('POST', '/faults', { method, route, by: 'app', status, body });
      await commented(world, 'wout', pull, says);
      await eventually(async () => struckOnce(), 'it was refused', MINUTE_MS);
      expect(standOf(await still(issue))).toEqual(before);
      await lifted();
      expect((await commanded(world, 'wout', issue, '/status')).reactions).toEqual(['+1']);
    },
  );
});

const struckOnce = async (): Promise<boolean> => {
  const answer = await fetch(`${world.github.url}/_local/faults`, { headers: { authorization: 'Bearer maria-token' } });
  return /"struck":[1-9]/.test(await answer.text());
};

const textOfPull = async () => JSON.stringify((await world.as('maria', 'GET', `/pulls/${pull}`)).body);

describe('the board', () => {
  it.each(REFUSALS)(
    'of an issue that is $case ($status) keeps neither pull request nor checks back',
    async ({ status, body }) => {
      await local('POST', '/faults', { method: 'PATCH', route: COMMENT, by: 'app', status, body });
      await commented(world, 'wout', pull, '/pause');
      await eventually(
        async () => /paused/i.test(await textOfPull()),
        'the pull request says that it is paused',
        MINUTE_MS,
      );
      await still(issue);
      await lifted();
      await commanded(world, 'wout', issue, '/resume');
      await eventually(async () => !/\*\*Paused/i.test(await textOfPull()), 'and that it is not');
      expect((await still(issue))?.status).toBe('working');
    },
  );
});

describe('a label that starts nothing', () => {
  it.each(REFUSALS)('stays where GitHub refuses to take it away ($status), and is said', async ({ status, body }) => {
    await local('POST', '/faults', {
      method: 'DELETE',
      route: '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
      by: 'app',
      status,
      body,
    });
    const other = await world.labelled({ labelBy: 'tess' });
    await eventually(async () => (await world.comments(other)).length === 1, 'the sentence', MINUTE_MS);
    expect((await still(other))?.status).toBe('idle');
  });
});

describe('the questions', () => {
  it.each(REFUSALS)(
    'that nobody can see ($status) stop the loop, and one more try asks them',
    async ({ status, body }) => {
      await local('POST', '/faults', { method: 'POST', route: COMMENTS, by: 'app', status, body });
      const other = await world.labelled({ title: `Search, with questions that are refused by ${status}` });
      await eventually(async () => (await world.loop(other))?.status === 'stopped', 'the loop stops', MINUTE_MS);
      const stopped = await still(other);
      expect(stopped?.note).toContain(`GitHub answered ${status} to POST`);
      await lifted();
      await commented(world, 'wout', other, '/rerun');
      await world.until(other, ({ waitingFor }) => waitingFor === 'answers');
      await commanded(world, 'wout', other, '/stop');
    },
  );
});

describe('a comment that is deleted under its answer', () => {
  it('keeps nothing back: the board goes on, and /stop during BUILD cancels the run', async () => {
    const { built } = asReviewed(await world.until(issue, () => true));
    const ids = await Promise.all(['/help', '/status', '/help'].map((text) => commented(world, 'wout', pull, text)));
    await Promise.all(ids.map((id) => world.as('wout', 'DELETE', `/issues/comments/${id}`)));
    await commented(world, 'wout', pull, '/stop');
    const run = async () => JSON.stringify((await world.as('maria', 'GET', `/actions/runs/${built.run?.id}`)).body);
    await eventually(async () => (await run()).includes('"conclusion":"cancelled"'), 'the run is cancelled', 10_000);
    await eventually(async () => /stopped/i.test(await textOfPull()), 'the board says so', MINUTE_MS);
    expect((await still(issue))?.status).toBe('stopped');
  });
});
