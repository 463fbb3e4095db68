/** A repository without anything gets one pull request, a check that is red until all is there, and a trial of its base; then a loop runs there. */

import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Store } from '../../src/ports.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { startToolModel, type ToolModel } from '../doctor/tool-model.ts';
import { listening } from '../listening.ts';
import { commented, eventually, headOf, pressed, pushed } from './acts.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

const CHECK = 'loopwright / setup';
const BRANCH = 'loopwright/setup';
const PATIENCE_MS = 1_000_000;

let world: World;
beforeEach(async () => {
  world = await startWorld({ prepare: withoutSetup });
});
afterEach(() => world.close());

/** The guestbook and its own checks, as it was before anybody thought of loops. */
async function withoutSetup(path: string): Promise<void> {
  for (const name of ['loopwright.yml', 'workflows/loopwright-build.yml', 'workflows/loopwright-verify.yml', 'actions'])
    await rm(join(path, '.github', name), { recursive: true });
}

const install = () => fetch(`${world.github.url}/_local/repos/${REPOSITORY}/installed`, { method: 'POST' });

const pulls = z.array(
  z.object({ number: z.int(), title: z.string(), body: z.string(), state: z.string(), draft: z.boolean() }),
);
const allPulls = async () => pulls.parse((await world.as('maria', 'GET', '/pulls?state=all')).body);

async function proposedPull() {
  await install();
  await eventually(async () => (await allPulls()).length > 0, 'a pull request');
  const [pull] = await allPulls();
  if (pull === undefined) throw new Error('unreachable');
  return pull;
}

type Check = Awaited<ReturnType<World['checks']>>[number];

/** The check on a branch's head, once it has ended and is as it is looked for. */
async function checkOn(branch: string, isSo: (check: Check) => boolean = () => true): Promise<Check> {
  const seen: Check[] = [];
  await eventually(
    async () => {
      const checks = await world.checks((await headOf(world, branch)) ?? '');
      const check = checks.findLast(({ name }) => name === CHECK);
      if (check?.status !== 'completed' || !isSo(check)) return false;
      seen.push(check);
      return true;
    },
    `the check on ${branch}`,
    PATIENCE_MS,
  );
  const [check] = seen;
  if (check === undefined) throw new Error('unreachable');
  return check;
}

interface Page {
  readonly branch: string;
  readonly path: string;
  readonly text: string;
}

/** What the linked pages are filled in with. */
function pagesIn(text: string): readonly Page[] {
  return [...text.matchAll(/\[Add it\]\((\S+)\)/g)].map(([, link = '']) => {
    const { pathname, searchParams } = new URL(link);
    const branch = pathname.replace(`/${REPOSITORY}/new/`, '');
    return { branch, path: searchParams.get('filename') ?? '', text: searchParams.get('value') ?? '' };
  });
}

const demoConfig = () => readFile(packageFile('src', 'demo', 'repository', '.github', 'loopwright.yml'), 'utf8');
const merge = (pull: number) => world.as('maria', 'PUT', `/pulls/${pull}/merge`, {});
const runs = z.object({ workflow_runs: z.array(z.object({ display_title: z.string() })) });
const ownRuns = async () =>
  runs
    .parse((await world.as('maria', 'GET', '/actions/runs')).body)
    .workflow_runs.filter(({ display_title: title }) => title.startsWith('loopwright-'));

/** Adds what the pages hold, and merges. */
async function broughtAndMerged(): Promise<number> {
  const { number, body } = await proposedPull();
  for (const page of pagesIn(body)) await pushed(world, 'maria', page);
  await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  await merge(number);
  return number;
}

it('a repository without anything comes to a finished pull request', { timeout: 900_000 }, async () => {
  const pull = await proposedPull();
  expect(pull).toMatchObject({ title: 'Set up Loopwright', state: 'open', draft: false });
  const files = z
    .array(z.object({ filename: z.string() }))
    .parse((await world.as('maria', 'GET', `/pulls/${pull.number}/files`)).body);
  expect(files.map(({ filename }) => filename).toSorted()).toEqual([
    '.github/ISSUE_TEMPLATE/loopwright.yml',
    '.github/actions/loopwright-job/action.yml',
    '.github/actions/loopwright-setup/action.yml',
    '.github/loopwright.yml',
  ]);
  expect(pull.body).toContain('the suite is `npm test`, and single tests are read by `node-test`');
  const red = await checkOn(BRANCH);
  expect(red).toMatchObject({ conclusion: 'failure', output: { title: '2 things are missing' } });
  expect(pagesIn(red.output.summary ?? '')).toEqual(pagesIn(pull.body));

  const pages = pagesIn(pull.body);
  expect(pages.map(({ branch, path }) => `${branch} ${path}`)).toEqual([
    `${BRANCH} .github/workflows/loopwright-build.yml`,
    `${BRANCH} .github/workflows/loopwright-verify.yml`,
  ]);
  for (const page of pages) await pushed(world, 'maria', page);
  await pushed(world, 'maria', { branch: BRANCH, path: '.github/loopwright.yml', text: await demoConfig() });
  const green = await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  expect(green.output.title).toBe('All is here: merge it to begin');
  expect(green.output.summary).toContain('There is no environment `loopwright`');
  expect(await ownRuns()).toEqual([]);

  await merge(pull.number);
  const tried = await checkOn('main');
  expect(tried).toMatchObject({
    conclusion: 'success',
    output: { title: "All is there: the base's tests are green twice" },
  });
  expect(tried.output.summary).toMatch(/single tests \| ✓ passed/);
  const own = async () => (await world.comments(pull.number)).filter(({ author }) => author === 'loopwright[bot]');
  // The check stands a moment before the comment.
  await eventually(async () => (await own()).length > 0, 'a comment');
  const said = await own();
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('Label an issue `loop` to begin.');

  const issue = await world.labelled();
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  await commented(world, 'maria', issue, '/answer 1a 2a');
  const { review } = await world.until(issue, ({ waitingFor }) => waitingFor === 'approval');
  await commented(world, 'maria', review?.pull ?? 0, '/approve');
  const ended = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
  expect(ended.status).toBe('succeeded');
});

it('happens once, however often the process dies before it has noted what it did', {
  timeout: PATIENCE_MS * 2,
}, async () => {
  await world.close();
  const lost = new Set<string>();
  const forgetful = (store: Store): Store => ({
    ...store,
    async saveOnboarding(save) {
      const { stage, pull, run, trials } = save.onboarding;
      const step = `${stage} ${pull ?? ''} ${run === undefined ? '' : 'run'} ${trials}`;
      if (!lost.has(step)) {
        lost.add(step);
        throw new Error(`the process died before "${step}" was saved`);
      }
      return store.saveOnboarding(save);
    },
  });
  world = await startWorld({ prepare: withoutSetup, store: forgetful });
  const number = await broughtAndMerged();
  expect((await checkOn('main')).conclusion).toBe('success');
  await eventually(async () => (await stored())?.stage === 'ready', 'the last save');
  expect([...lost]).toEqual([
    'asked   0',
    `asked ${number}  0`,
    `waiting ${number}  0`,
    `trying ${number}  1`,
    `trying ${number} run 1`,
    `ready ${number}  1`,
  ]);
  expect(await allPulls()).toHaveLength(1);
  expect(await ownRuns()).toHaveLength(1);
  expect(await world.comments(number)).toHaveLength(1);
  const commits = z.array(z.object({ commit: z.object({ message: z.string() }) }));
  const { body } = await world.as('maria', 'GET', `/pulls/${number}/commits`);
  expect(commits.parse(body).filter(({ commit }) => commit.message === 'Set up Loopwright')).toHaveLength(1);
  for (const branch of ['main', BRANCH]) {
    const checks = await world.checks((await headOf(world, branch)) ?? '');
    expect(checks.filter(({ name }) => name === CHECK)).toHaveLength(1);
  }
});

const faulty = (fault: object) =>
  fetch(`${world.github.url}/_local/faults`, {
    method: 'POST',
    headers: { authorization: 'Bearer maria-token', 'content-type': 'application/json' },
    body: JSON.stringify({ by: 'app', ...fault }),
  });
/** How often each fault struck. */
const struck = async () => {
  const answer = await fetch(`${world.github.url}/_local/faults`, { headers: { authorization: 'Bearer maria-token' } });
  const told = z.object({ faults: z.array(z.object({ struck: z.int() })) }).parse(await answer.json());
  return told.faults.map((fault) => fault.struck);
};
const healed = () =>
  fetch(`${world.github.url}/_local/faults`, { method: 'DELETE', headers: { authorization: 'Bearer maria-token' } });

it('asks the model once for a press, whatever becomes of the answer, and leaves a trial alone', {
  timeout: PATIENCE_MS,
}, async () => {
  await world.as('noah', 'POST', '/issues', { title: 'Let visitors search the guestbook', body: 'Please.' });
  const number = await broughtAndMerged();
  await eventually(async () => (await stored())?.run !== undefined, 'a run');
  const checks = await world.checks((await headOf(world, 'main')) ?? '');
  await faulty({
    method: 'POST',
    route: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    status: 403,
    times: 1,
  });
  const before = (await world.requests()).length;
  await pressed(world, 'maria', checks.find(({ name }) => name === CHECK)?.id ?? 0, 'preview');
  expect((await checkOn('main')).conclusion).toBe('success');
  await eventually(async () => (await stored())?.stage === 'ready', 'the end');
  expect((await stored())?.preview).toBeUndefined();
  const looked = (await world.requests()).slice(before).filter(({ path }) => /\/issues\?/.test(path));
  expect(looked).toHaveLength(1);
  await healed();
  expect(await world.comments(number)).toHaveLength(1);
});

it('takes no branch over that somebody else made', { timeout: PATIENCE_MS }, async () => {
  const main = await headOf(world, 'main');
  await world.as('wout', 'POST', '/git/refs', { ref: `refs/heads/${BRANCH}`, sha: main });
  const own = await pushed(world, 'wout', { branch: BRANCH, path: 'NOTES.md', text: 'Mine.\n' });
  await install();
  const check = await checkOn('main');
  expect(check.output.summary).toContain(`There is a branch \`${BRANCH}\` that the App did not make`);
  expect([await headOf(world, BRANCH), await allPulls()]).toEqual([own, []]);
  await world.as('wout', 'DELETE', `/git/refs/heads/${BRANCH}`);
  await world.as('wout', 'POST', `/check-runs/${check.id}/rerequest`);
  await eventually(async () => (await allPulls()).length === 1, 'a pull request');
});

it('writes on no branch that somebody made after GitHub had refused the commit, and tells a trial where comments are refused', {
  timeout: PATIENCE_MS * 2,
}, async () => {
  await faulty({ method: 'POST', route: '/repos/{owner}/{repo}/git/commits', status: 403, times: 1 });
  await install();
  await checkOn('main', ({ conclusion }) => conclusion === 'action_required');
  await world.as('wout', 'POST', '/git/refs', { ref: `refs/heads/${BRANCH}`, sha: await headOf(world, 'main') });
  const own = await pushed(world, 'wout', { branch: BRANCH, path: 'NOTES.md', text: 'Mine.\n' });
  const told = await checkOn('main', ({ output }) => output.summary?.includes('that the App did not make') === true);
  expect([await headOf(world, BRANCH), await allPulls()]).toEqual([own, []]);
  await world.as('wout', 'DELETE', `/git/refs/heads/${BRANCH}`);
  await world.as('wout', 'POST', `/check-runs/${told.id}/rerequest`);
  await eventually(async () => (await allPulls()).length === 1, 'a pull request');
  const [pull] = await allPulls();
  for (const page of pagesIn(pull?.body ?? '')) await pushed(world, 'maria', page);
  await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  await faulty({ method: 'POST', route: '/repos/{owner}/{repo}/issues/{issue_number}/comments', status: 403 });
  await merge(pull?.number ?? 0);
  expect((await checkOn('main')).output.title).toBe("All is there: the base's tests are green twice");
  await eventually(async () => (await stored())?.stage === 'ready', 'the end');
  await healed();
});

it('says on the default branch what GitHub refuses, and hears of a close though its check could not be written', {
  timeout: PATIENCE_MS,
}, async () => {
  await faulty({ method: 'POST', route: '/repos/{owner}/{repo}/pulls', status: 403, times: 1 });
  await install();
  const refused = await checkOn('main');
  expect(refused).toMatchObject({
    conclusion: 'action_required',
    output: { title: 'The set-up could not be proposed' },
  });
  await faulty({ method: 'POST', route: '/repos/{owner}/{repo}/check-runs', status: 403, times: 1 });
  await world.as('maria', 'POST', `/check-runs/${refused.id}/rerequest`);
  await eventually(async () => (await stored())?.pull !== undefined, 'the number of the pull request');
  const config = '.github/loopwright.yml';
  const edited = await pushed(world, 'maria', { branch: BRANCH, path: config, text: await demoConfig() });
  await checkOn(BRANCH);
  expect(await headOf(world, BRANCH)).toBe(edited);
  const [pull] = await allPulls();
  await world.as('maria', 'PATCH', `/pulls/${pull?.number}`, { state: 'closed' });
  await eventually(async () => (await stored())?.stage === 'declined', 'the word of it');
  // Asked for again, it goes on top of what people wrote there.
  await world.as('maria', 'POST', `/check-runs/${refused.id}/rerequest`);
  await eventually(async () => (await allPulls()).length === 2, 'another pull request');
  expect(await headOf(world, BRANCH)).toBe(edited);
});

it('a base that moves while it is tried is tried as it is then', { timeout: PATIENCE_MS * 2 }, async () => {
  const test = 'test/broken.test.js';
  await pushed(world, 'maria', { branch: 'main', path: test, text: "throw new Error('not today');\n" });
  await broughtAndMerged();
  await eventually(async () => (await stored())?.run !== undefined, 'a run');
  await pushed(world, 'maria', { branch: 'main', path: test, text: '' });
  expect((await checkOn('main')).conclusion).toBe('success');
});

it('a trial whose machine went down begins anew by itself', { timeout: PATIENCE_MS }, async () => {
  await broughtAndMerged();
  await eventually(async () => (await stored())?.run !== undefined, 'a run');
  const { id } = (await stored())?.run ?? {};
  expect((await world.as('maria', 'POST', `/actions/runs/${id}/cancel`)).status).toBe(202);
  expect((await checkOn('main')).conclusion).toBe('success');
  expect((await ownRuns()).length).toBe(2);
  expect((await stored())?.trials).toBe(2);
});

it("GitHub's refusal of the look after a trial leaves on the check what that came to", {
  timeout: PATIENCE_MS,
}, async () => {
  const text = "throw new Error('not today');\n";
  await pushed(world, 'maria', { branch: 'main', path: 'test/broken.test.js', text });
  await broughtAndMerged();
  await eventually(async () => (await stored())?.run !== undefined, 'a run');
  await faulty({ method: 'GET', route: '/repos/{owner}/{repo}/git/matching-refs/{ref}', status: 410, times: 1 });
  await checkOn('main');
  await eventually(async () => (await stored())?.stage === 'waiting', 'the look');
  expect(await struck()).toEqual([1]);
  expect((await checkOn('main')).output.title).toBe('The base is red: its suite failed twice');
  await healed();
});

it('that is closed and reopened is followed again', { timeout: PATIENCE_MS }, async () => {
  const { number } = await proposedPull();
  await checkOn(BRANCH);
  await world.as('maria', 'PATCH', `/pulls/${number}`, { state: 'closed' });
  await eventually(async () => (await stored())?.stage === 'declined', 'the word of it');
  await world.as('maria', 'PATCH', `/pulls/${number}`, { state: 'open' });
  await eventually(async () => (await stored())?.stage === 'waiting', 'the word of that');
  for (const page of pagesIn((await allPulls())[0]?.body ?? '')) await pushed(world, 'maria', page);
  await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  expect(await allPulls()).toHaveLength(1);
});

it('that is closed is the end of it, until somebody asks again', { timeout: PATIENCE_MS }, async () => {
  const { number } = await proposedPull();
  const { id } = await checkOn(BRANCH);
  await world.as('maria', 'PATCH', `/pulls/${number}`, { state: 'closed' });
  await eventually(async () => (await stored())?.stage === 'declined', 'the word of it');
  await install();
  await pushed(world, 'maria', { branch: 'main', path: 'NOTES.md', text: 'Nothing of it.\n' });
  await world.as('noah', 'POST', `/check-runs/${id}/rerequest`);
  await eventually(async () => (await unread()) === 0, 'all is taken in');
  expect((await stored())?.stage).toBe('declined');
  await world.as('maria', 'POST', `/check-runs/${id}/rerequest`);
  await eventually(async () => (await allPulls()).length === 2, 'another pull request');
});

it('that is closed lets no loop start on a base that nobody tried: the label has it tried, and is heard when it is green', {
  timeout: PATIENCE_MS,
}, async () => {
  const { number, body } = await proposedPull();
  await checkOn(BRANCH);
  await world.as('maria', 'PATCH', `/pulls/${number}`, { state: 'closed' });
  await eventually(async () => (await stored())?.stage === 'declined', 'the word of it');
  // A label is answered when its base was looked at, or after a quarter of a minute: the trial, which runs the suite twice, lasts longer.
  const slow =
    "import { test } from 'node:test';\nimport { setTimeout } from 'node:timers/promises';\ntest('is slow', () => setTimeout(10_000));\n";
  await pushed(world, 'maria', { branch: 'main', path: 'test/slow.test.js', text: slow });
  await broughtByHand(body);
  const issue = await world.labelled();
  await eventually(async () => (await world.comments(issue)).length > 0, 'an answer to the label');
  expect((await world.comments(issue))[0]?.body).toMatch(/is being tried|No loop starts on `[0-9a-f]{7}` yet/);
  await checkOn('main', ({ conclusion }) => conclusion === 'success');
  await eventually(async () => (await stored())?.stage === 'ready', 'the end of the set-up');
  await world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  expect(await allPulls()).toMatchObject([{ number, state: 'closed' }]);
});

it('shows on request what would be asked about an issue, and starts nothing', { timeout: PATIENCE_MS }, async () => {
  const { number } = await proposedPull();
  const { id } = await checkOn(BRANCH);
  await pressed(world, 'maria', id, 'preview');
  const previews = async () => (await world.comments(number)).filter(({ body }) => body.includes('preview'));
  await eventually(async () => (await previews()).length > 0, 'a comment');
  expect((await previews())[0]?.body).toBe('There is no preview of questions: There is no open issue yet.');
  await world.as('noah', 'POST', '/issues', { title: 'Let visitors search the guestbook', body: 'Please.' });
  await pressed(world, 'noah', id, 'preview');
  await pressed(world, 'wout', id, 'preview');
  await eventually(async () => (await previews())[0]?.body.includes('this would be asked') === true, 'the questions');
  const [{ body } = { body: '' }, ...others] = await previews();
  expect(others).toEqual([]);
  expect(body).toMatch(/^\*\*A preview: this would be asked about #\d+ \(Let visitors search the guestbook\)\.\*\*/);
  expect(body).toMatch(/\*\*1\. .+\?\*\*/);
  expect(body).toMatch(/Asked of `scripted` once, for 0\.0000 USD\. No loop was started\.$/);
  expect(await world.composed.ports.store.overview({ limit: 10 })).toEqual([]);
});

it.each<[string, (path: string) => Promise<void>, string, number]>([
  [
    'a configuration that is no text',
    (path) => writeFile(join(path, '.github', 'loopwright.yml'), Buffer.from('version: 1\n', 'utf16le')),
    '`.github/loopwright.yml` is no text, or is larger than 256 KiB; mend that first.',
    1,
  ],
  [
    'a folder that is a link',
    async (path) => {
      await rename(join(path, '.github'), join(path, 'elsewhere'));
      await symlink('elsewhere', join(path, '.github'));
    },
    '`.github/loopwright.yml` cannot be there, because `.github` is no folder; mend that first.',
    0,
  ],
])('leaves %s as it is, and says so', { timeout: PATIENCE_MS }, async (_, prepare, sentence, pulls) => {
  await world.close();
  world = await startWorld({
    async prepare(path) {
      await withoutSetup(path);
      await prepare(path);
    },
  });
  await install();
  const told = async () => [...(await world.checks((await headOf(world, 'main')) ?? '')), ...(await onBranch())];
  const onBranch = async () => world.checks((await headOf(world, BRANCH)) ?? (await headOf(world, 'main')) ?? '');
  const isTold = async () =>
    (await told()).some(({ name, output }) => name === CHECK && output.summary?.includes(sentence));
  await eventually(isTold, 'the sentence');
  const proposed = await allPulls();
  expect(proposed).toHaveLength(pulls);
  for (const { number } of proposed) {
    const files = z.array(z.object({ filename: z.string(), status: z.string() }));
    const { body } = await world.as('maria', 'GET', `/pulls/${number}/files`);
    expect(files.parse(body).filter(({ status }) => status !== 'added')).toEqual([]);
  }
});

/** All files on the default branch, as somebody pushes them who needs no pull request. */
async function broughtByHand(body: string): Promise<void> {
  for (const { path, text } of pagesIn(body)) await pushed(world, 'maria', { branch: 'main', path, text });
  const action = await readFile(packageFile('config', 'actions', 'loopwright-job', 'action.yml'), 'utf8');
  await pushed(world, 'maria', { branch: 'main', path: '.github/actions/loopwright-job/action.yml', text: action });
  await pushed(world, 'maria', { branch: 'main', path: '.github/loopwright.yml', text: await demoConfig() });
}

it('a set-up that somebody pushes to the default branch is looked at there, and the pull request says that it is not needed', {
  timeout: PATIENCE_MS,
}, async () => {
  const { number, body } = await proposedPull();
  await checkOn(BRANCH);
  const early = await world.labelled();
  await eventually(
    async () =>
      (await world.comments(early)).some(({ body: said }) =>
        said.includes(`Pull request #${number} brings it; merge that first.`),
      ),
    'where the configuration comes from',
  );

  const config = { branch: 'main', path: '.github/loopwright.yml' };
  await pushed(world, 'maria', { ...config, text: `${await demoConfig()}tset: npm test\n` });
  const wrong = await checkOn('main');
  expect(wrong).toMatchObject({ conclusion: 'failure', output: { title: '4 things are missing' } });
  expect(wrong.output.summary).toContain('"tset" is not a known key; remove it.');

  for (const { path, text } of pagesIn(body)) await pushed(world, 'maria', { branch: 'main', path, text });
  const job = '.github/actions/loopwright-job/action.yml';
  await pushed(world, 'maria', {
    ...{ branch: 'main', path: job },
    text: await readFile(packageFile('config', 'actions', 'loopwright-job', 'action.yml'), 'utf8'),
  });
  await pushed(world, 'maria', { ...config, text: await demoConfig() });
  const unneeded = await checkOn(BRANCH, ({ conclusion }) => conclusion === 'neutral');
  expect(unneeded.output.title).toBe('Nothing of this is missing any more');
  const green = await checkOn('main', ({ conclusion }) => conclusion === 'success');
  const issue = await world.labelled();
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');

  // Whoever closes it as it says wants loops all the same: what breaks later is told on the default branch.
  await world.as('maria', 'PATCH', `/pulls/${number}`, { state: 'closed' });
  await pushed(world, 'maria', { branch: 'main', path: job, text: 'runs: { using: composite, steps: [] }\n' });
  await world.as('maria', 'POST', `/check-runs/${green.id}/rerequest`);
  const changed = await checkOn('main', ({ conclusion }) => conclusion === 'failure');
  expect(changed.output).toMatchObject({ title: 'One thing is missing' });
  expect(changed.output.summary).toContain('it is older, or was changed, first in line 1');
});

it('that is merged too early says what is missing, with pages for the default branch', {
  timeout: PATIENCE_MS,
}, async () => {
  const { number } = await proposedPull();
  await merge(number);
  const red = await checkOn('main');
  expect(red.conclusion).toBe('failure');
  const pages = pagesIn(red.output.summary ?? '');
  expect(pages.map(({ branch }) => branch)).toEqual(['main', 'main']);
  await eventually(async () => (await world.comments(number)).length > 0, 'a comment');
  expect((await world.comments(number))[0]?.body).toContain('Merged, and no loop can start yet');
  for (const page of pages) await pushed(world, 'maria', page);
  expect((await checkOn('main', ({ conclusion }) => conclusion !== 'failure')).conclusion).toBe('success');
});

it('that is merged while it is looked at is not told that anything is missing', { timeout: PATIENCE_MS }, async () => {
  const { number, body } = await proposedPull();
  for (const page of pagesIn(body)) await pushed(world, 'maria', page);
  await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  await faulty({ method: 'GET', route: '/repos/{owner}/{repo}/pulls/{pull_number}', delayMs: 4000, times: 1 });
  await pushed(world, 'maria', { branch: BRANCH, path: 'notes.md', text: 'A push is looked at.' });
  await eventually(async () => (await struck()).includes(1), 'the look, after that at the default branch');
  await merge(number);
  const said = new Set<string>();
  await eventually(async () => {
    for (const comment of await world.comments(number)) said.add(comment.body);
    return [...said].some((text) => text.includes('Label an issue `loop` to begin.'));
  }, 'the trial of the base');
  expect([...said].filter((text) => text.includes('no loop can start'))).toEqual([]);
  await healed();
});

it('a base that is red, and a key that nobody knows, have their sentences, and a mended one is tried again', {
  timeout: PATIENCE_MS * 2,
}, async () => {
  const test = 'test/broken.test.js';
  await pushed(world, 'maria', { branch: 'main', path: test, text: "throw new Error('not today');\n" });
  const number = await broughtAndMerged();
  const red = await checkOn('main');
  expect(red).toMatchObject({
    conclusion: 'failure',
    output: { title: 'The base is red: its suite failed twice', summary: expect.stringContaining('not today') },
  });
  await eventually(async () => (await world.comments(number)).length > 0, 'a comment');
  await eventually(async () => (await stored())?.red !== undefined, 'what speaks against the base');
  const issue = await world.labelled();
  await eventually(async () => (await world.comments(issue)).length > 0, 'an answer to the label');
  expect((await world.comments(issue)).map(({ body }) => body)).toEqual([
    expect.stringMatching(
      /No loop starts on `[0-9a-f]{7}`, which was tried\. The base is red: its suite failed twice\./,
    ),
  ]);
  expect(await world.loop(issue)).toMatchObject({ status: 'idle' });

  const config = await demoConfig();
  await pushed(world, 'maria', {
    branch: 'main',
    path: '.github/loopwright.yml',
    text: config.replace('test:', 'tset:'),
  });
  const wrong = await checkOn('main', ({ output }) => output.title === 'One thing is missing');
  expect(wrong.output.summary).toContain('"commands.tset" is not a known key; remove it.');

  await pushed(world, 'maria', { branch: 'main', path: '.github/loopwright.yml', text: config });
  await checkOn('main', ({ output }) => output.title === 'The base is red: its suite failed twice');
  await pushed(world, 'maria', { branch: 'main', path: test, text: '' });
  expect((await checkOn('main')).conclusion).toBe('success');
  await eventually(async () => (await stored())?.stage === 'ready', 'the end of the set-up');
  await world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
});

it('an environment that the default branch may not use keeps the check red, and is mended by Re-run', {
  timeout: PATIENCE_MS,
}, async () => {
  const { number, body } = await proposedPull();
  await world.as('maria', 'PUT', '/environments/loopwright', {
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
  });
  for (const page of pagesIn(body)) await pushed(world, 'maria', page);
  const barred = await checkOn(BRANCH, ({ output }) => output.title === 'One thing is missing');
  expect(barred).toMatchObject({ conclusion: 'failure' });
  expect(barred.output.summary).toContain('`main` may not use the environment `loopwright`, so no BUILD can begin.');
  await merge(number);
  const red = await checkOn('main');
  expect(red).toMatchObject({ conclusion: 'failure', output: { title: 'One thing is missing' } });
  expect(await ownRuns()).toEqual([]);
  const main = { name: 'main', type: 'branch' };
  await world.as('maria', 'POST', '/environments/loopwright/deployment-branch-policies', main);
  await world.as('maria', 'POST', `/check-runs/${red.id}/rerequest`);
  expect((await checkOn('main', ({ conclusion }) => conclusion === 'success')).output.summary).not.toContain(
    'the environment',
  );
});

it('an environment alone is told on the default branch, because no pull request brings a setting', {
  timeout: PATIENCE_MS,
}, async () => {
  for (const name of ['loopwright-build.yml', 'loopwright-verify.yml'])
    await pushed(world, 'maria', {
      ...{ branch: 'main', path: `.github/workflows/${name}` },
      text: await readFile(packageFile('config', 'workflows', name), 'utf8'),
    });
  await broughtByHand('');
  await world.as('maria', 'PUT', '/environments/loopwright', {
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
  });
  await install();
  const red = await checkOn('main');
  expect(red).toMatchObject({ conclusion: 'failure', output: { title: 'One thing is missing' } });
  expect([await allPulls(), await ownRuns()]).toEqual([[], []]);
  const main = { name: 'main', type: 'branch' };
  await world.as('maria', 'POST', '/environments/loopwright/deployment-branch-policies', main);
  await world.as('maria', 'POST', `/check-runs/${red.id}/rerequest`);
  await checkOn('main', ({ conclusion }) => conclusion === 'success');
});

it('an environment that is closed to the default branch while the base is tried lets nobody begin', {
  timeout: PATIENCE_MS,
}, async () => {
  await broughtAndMerged();
  await eventually(async () => (await ownRuns()).length > 0, 'the run of the trial');
  await world.as('maria', 'PUT', '/environments/loopwright', {
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
  });
  const red = await checkOn('main', ({ conclusion }) => conclusion === 'failure' || conclusion === 'success');
  expect(red).toMatchObject({ conclusion: 'failure', output: { title: 'One thing is missing' } });
  expect(red.output.summary).toContain('`main` may not use the environment `loopwright`');
});

it('a run that delivers nothing is never green, and the button tries again', { timeout: PATIENCE_MS }, async () => {
  const { body, number } = await proposedPull();
  for (const page of pagesIn(body)) await pushed(world, 'maria', page);
  const action = '.github/actions/loopwright-setup/action.yml';
  const text = 'name: setup\nruns:\n  using: composite\n  steps: [{ shell: bash, run: exit 3 }]\n';
  await pushed(world, 'maria', { branch: BRANCH, path: action, text });
  await checkOn(BRANCH, ({ conclusion }) => conclusion === 'success');
  await merge(number);
  const untried = await checkOn('main');
  expect(untried).toMatchObject({ conclusion: 'action_required', output: { title: 'The base could not be tried' } });
  expect(untried.output.summary).toContain('ended as failure without a report; its log says');
  expect(untried.output.summary).not.toContain('PUBLIC_URL');
  const before = (await ownRuns()).length;
  await world.as('maria', 'POST', `/check-runs/${untried.id}/rerequest`);
  await eventually(async () => (await ownRuns()).length > before, 'another run');
});

it('an address at which runners do not find the App has its sentence, on machines that the App names', {
  timeout: PATIENCE_MS,
}, async () => {
  await world.close();
  const elsewhere = await listening(createServer((_, response) => response.writeHead(404).end('no such page')));
  world = await startWorld({ prepare: withoutSetup, publicUrl: elsewhere, runsOn: ['ubuntu-24.04'] });
  const { body } = await world.as('maria', 'GET', `/pulls/${await broughtAndMerged()}`);
  const pages = pagesIn(pulls.element.parse(body).body);
  expect(pages.map(({ text }) => /runs-on: .*/.exec(text)?.[0])).toEqual(Array(2).fill('runs-on: ubuntu-24.04'));
  const { conclusion, output } = await checkOn('main');
  expect(conclusion).toBe('action_required');
  expect(output.summary).toContain(`without a report; its log says: ${elsewhere}/jobs/job-`);
  expect(output.summary).toContain(
    ' answered 404: no such page. The runner did not get its job from the App: see that',
  );
});

const KEY = 'kanarie-7f3a9c51e2b84d06';

/** With a model whose answers nobody authored. */
async function worldWith(model: ToolModel, store?: (store: Store) => Store): Promise<World> {
  await world.close();
  return startWorld({
    ...{ prepare: withoutSetup, modelUrl: model.url, modelKey: KEY, scripted: false },
    ...(store && { store }),
  });
}

it('a key that the model refuses has its sentence, and is tried again by the button alone', {
  timeout: PATIENCE_MS * 2,
}, async () => {
  const model = await startToolModel();
  model.manner = { status: 401 };
  world = await worldWith(model);
  const number = await broughtAndMerged();
  const red = await checkOn('main');
  expect(red).toMatchObject({ conclusion: 'failure', output: { title: 'The model refuses the key' } });
  const sentence = 'It refuses the key: HTTP 401 (check the API key). Set LLM_API_KEY to a key of this endpoint.';
  expect(red.output.summary).toContain(sentence);
  expect(red.output.summary).toMatch(/single tests \| ✓ passed/);
  await eventually(async () => (await stored())?.stage === 'waiting', 'the look after it');
  const [said, ...others] = await world.comments(number);
  expect([said?.body.includes(sentence), said?.body.includes('Label an issue'), others]).toEqual([true, false, []]);
  expect([model.asked, (await ownRuns()).length]).toEqual([1, 1]);

  model.manner = { whole: true };
  await world.as('maria', 'POST', `/check-runs/${red.id}/rerequest`);
  const green = await checkOn('main', ({ conclusion }) => conclusion === 'success');
  expect(green.output.title).toBe("All is there: the base's tests are green twice");
  expect(green.output.summary).toContain(
    'Besides: the model `scripted` was asked one question. Its answers come whole',
  );
  await eventually(async () => (await stored())?.stage === 'ready', 'the end');
  expect(model.asked).toBe(2);
  const told = await world.comments(number);
  expect(told.map(({ body }) => body.includes('Label an issue `loop` to begin.'))).toEqual([true]);
  expect(JSON.stringify([red, green, said, told])).not.toContain(KEY);
  model.close();
});

it('a base and a model that are both wrong have both sentences once, though the process dies before it has noted them', {
  timeout: PATIENCE_MS * 2,
}, async () => {
  const model = await startToolModel();
  model.manner = { withoutTool: true };
  let isLost = false;
  world = await worldWith(model, (store) => ({
    ...store,
    async saveOnboarding(save) {
      if (isLost || model.asked === 0) return store.saveOnboarding(save);
      isLost = true;
      throw new Error('the process died before it was saved');
    },
  }));
  const text = "throw new Error('not today');\n";
  await pushed(world, 'maria', { branch: 'main', path: 'test/broken.test.js', text });
  const number = await broughtAndMerged();
  await eventually(async () => (await stored())?.stage === 'waiting' && isLost, 'the look after it', PATIENCE_MS);
  const { conclusion, output } = await checkOn('main');
  expect([conclusion, output.title]).toEqual([
    'failure',
    'The base is red: its suite failed twice; and the model calls no tool',
  ]);
  expect(output.summary).toContain('not today');
  expect(output.summary).toContain('It calls no tool, and BUILD works by tools alone.');
  const [said, ...others] = await world.comments(number);
  expect([said?.body, others]).toEqual([output.summary?.replaceAll(/<!--.*?-->/g, '').trim(), []]);
  expect([model.asked, (await ownRuns()).length]).toEqual([2, 1]);
  model.close();
});

const repositoryId = async () => z.object({ id: z.int() }).parse((await world.as('maria', 'GET', '')).body).id;
const stored = async () => (await world.composed.ports.store.onboarding(await repositoryId()))?.onboarding;
const unread = async () => (await world.composed.ports.store.unreadRepositories()).length;
