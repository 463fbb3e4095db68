/**
 * A whole loop in a repository where much happens: a workflow file is missing, a comment is deleted at once, two people push into what is being built, the
 * base moves, the repository gets another name, and 40 jobs of its own CI come and go. Virtual is only the time of SHIP (see virtual-time.ts).
 */

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Script } from '../../src/demo/script.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asBuilt, asReviewed, asStarted } from '../../src/loop/stages.ts';
import { WORKFLOWS } from '../../src/settings/config.ts';
import { commanded, commented, eventually, headOf, historyOf, proposed, pushed, said } from './acts.ts';
import { CI_JOBS, LAST_JOB_ENDS, type OtherApp, otherApp, runCi } from './busy-ci.ts';
import { createHeldRuns } from './held-runs.ts';
import { createVirtualTime, patientWithChecks } from './virtual-time.ts';
import { withoutMistake } from './without-mistake.ts';
import { type Answer, startWorld, type World } from './world.ts';

const WHOLE_LOOP_MS = 1_000_000;
/** A file of the product that the candidate changes, and people too. */
const SERVER = 'src/server.js';
const RENAMED = 'visitors';
const BUILD_FILE = `.github/workflows/${WORKFLOWS.build}`;

const time = createVirtualTime();
const runs = createHeldRuns();
let world: World;
let issue: number;
let ci: OtherApp;
let buildWorkflow: string;
/** What people pushed onto the loop branch, oldest first. */
const commits: { readonly by: string; readonly sha: string }[] = [];

beforeAll(async () => {
  runs.hold(WORKFLOWS.build);
  world = await startWorld({
    script: editsOnce,
    prepare: async (path) => {
      await withoutBuildWorkflow(path);
      await patientWithChecks(path);
    },
    executeWorkflow: runs.execute,
    time,
  });
  ci = await otherApp(world, 'ci');
  await otherApp(world, 'silent');
  issue = (await proposed(world, 'Search, on a busy day')).ref.issue;
}, WHOLE_LOOP_MS);
afterAll(() => world.close());

async function withoutBuildWorkflow(path: string): Promise<void> {
  buildWorkflow = readFileSync(join(path, BUILD_FILE), 'utf8');
  await rm(join(path, BUILD_FILE));
}

/** The server is edited, not written anew, so lines of people stay; an edit that was made before is refused and changes nothing. */
function editsOnce(script: Script): Script {
  const whole = withoutMistake(script).tasks;
  const isWhole = (path: string) => (step: Step) => step.tool === 'write_file' && step.path === path;
  const editsOf = (task: string) =>
    (script.tasks[task]?.[0] ?? []).filter(({ tool, path }) => tool === 'edit_file' && path === SERVER);
  const search = (whole['T-1']?.[0] ?? []).filter(isWhole('src/search.js'));
  const page = (whole['T-2']?.[0] ?? []).filter(isWhole('src/page.js'));
  const [, ...routes] = editsOf('T-1');
  const submit = { tool: 'submit', summary: 'As planned.' };
  return {
    ...script,
    tasks: { 'T-1': [[...search, IMPORT_SEARCH, ...routes, submit]], 'T-2': [[...page, ...editsOf('T-2'), submit]] },
  };
}

type Step = Script['tasks'][string][number][number];

const PAGE_IMPORT = "import { renderPage } from './page.js';\n";
const STORE_IMPORT = "import { createStore } from './store.js';";
const IMPORT_SEARCH: Step = {
  tool: 'edit_file',
  path: SERVER,
  old: `${PAGE_IMPORT}${STORE_IMPORT}`,
  new: `${PAGE_IMPORT}import { matching } from './search.js';\n${STORE_IMPORT}`,
};

const content = z.object({ content: z.string() });

async function textAt(path: string, ref: string): Promise<string> {
  const { body } = await world.as('wout', 'GET', `/contents/${path}?ref=${ref}`);
  return Buffer.from(content.parse(body).content, 'base64').toString();
}

async function push(by: string, loop: Loop, path: string, text: string): Promise<string> {
  const sha = await pushed(world, by, { branch: asStarted(loop).started.branch, path, text });
  commits.push({ by, sha });
  return sha;
}

const told = async (): Promise<string> => (await said(world, issue)).map(({ body }) => body).join('\n\n');
const appRequests = async () => (await world.requests()).filter(({ actor }) => actor === 'app');
/** A loop that stopped will never be as asked. */
const on =
  (isSo: (loop: Loop) => boolean) =>
  (loop: Loop): boolean => {
    if (loop.status === 'stopped') throw new Error(loop.note);
    return isSo(loop);
  };
const building = on(({ phase, built, entry }) => phase === 'BUILD' && built.run?.entry === entry);

const pullRow = z.object({
  draft: z.boolean(),
  body: z.string(),
  mergeable: z.boolean().nullable(),
  base: z.object({ repo: z.object({ name: z.string() }) }),
});

async function pull(): Promise<z.infer<typeof pullRow>> {
  const { body }: Answer = await world.as('maria', 'GET', `/pulls/${(await world.loop(issue))?.review?.pull}`);
  return pullRow.parse(body);
}

describe('a workflow file that is missing', () => {
  it(
    "is asked for again after 5 s and 20 s, and then told in GitHub's words with what to do",
    async () => {
      await commanded(world, 'maria', issue, '/approve');
      const { note } = await world.until(issue, ({ status }) => status === 'stopped');
      expect(note).toMatch(
        new RegExp(`GitHub answered 404.*${WORKFLOWS.build}.*Not Found\\. See that.*loopwright init`, 's'),
      );
      const asked = (await appRequests()).filter(
        ({ path, status }) => path.includes(WORKFLOWS.build) && status === 404,
      );
      const moments = asked.map(({ at }) => Date.parse(at));
      // The dispatch itself, and then, as each time, GitHub is asked twice for a run, before its 404 is believed.
      const [first = 0, , , second = 0, , third = 0] = moments;
      expect(moments).toHaveLength(7);
      expect(second - first).toBeGreaterThanOrEqual(4000);
      expect(third - second).toBeGreaterThanOrEqual(14_000);
      expect((await world.comments(issue)).map(({ body }) => body).join('\n')).toMatch(/needs a person/);
      expect((await pull()).body).toMatch(
        new RegExp(`Stopped, needs a person.*404.*${WORKFLOWS.build}.*To go on, comment \`/rerun\``, 's'),
      );
    },
    WHOLE_LOOP_MS,
  );

  it(
    'is there once a person added it, and /rerun builds under the approval that was given',
    async () => {
      const { approval } = asReviewed(await world.until(issue, () => true));
      await pushed(world, 'maria', { branch: 'main', path: BUILD_FILE, text: buildWorkflow });
      expect(await commanded(world, 'maria', issue, '/rerun')).toEqual({ reactions: ['+1'], sentences: [] });
      expect(await world.until(issue, building)).toMatchObject({ approval, counters: { rounds: 1 } });
    },
    WHOLE_LOOP_MS,
  );
});

describe('what people do while it is built', () => {
  it(
    'a /pause whose comment is deleted at once pauses, and blocks nothing: /resume goes on',
    async () => {
      const id = await commented(world, 'wout', issue, '/pause');
      expect((await world.as('wout', 'DELETE', `/issues/comments/${id}`)).status).toBe(204);
      await eventually(async () => (await world.loop(issue))?.status === 'paused', 'the pause');
      const resume = await commented(world, 'wout', issue, '/resume');
      await world.until(issue, building);
      // What is said waits in its own lane until the deleted comment has been looked for three times.
      await eventually(async () => (await world.reactions(resume)).includes('+1'), 'a reaction to /resume', 600_000);
      await eventually(
        async () => (await world.loop(issue))?.pending.length === 0,
        'nothing is left to do or to say',
        60_000,
      );
    },
    WHOLE_LOOP_MS,
  );

  it(
    'two people push, one of them into a file of the candidate: each push is said, and the next build is made on both',
    async () => {
      const before = await world.until(issue, building);
      const server = await textAt(SERVER, asStarted(before).started.branch);
      await push('wout', before, SERVER, server.replace("'content-type': type", "'content-type': type, age: 0"));
      const last = await push('maria', before, 'docs/maria.md', "Maria's.\n");
      const next = await world.until(issue, (loop) => building(loop) && loop.review?.head === last);
      expect(next).toMatchObject({ counters: { iterations: before.counters.iterations } });
      // Who pushed is in the webhook; where the App looks before that came, on a busy machine, it is not known yet.
      for (const { by, sha } of commits)
        expect(await told()).toMatch(
          new RegExp(`(?:@${by}|Somebody) pushed ${sha.slice(0, 7)} to the branch, so the evidence is void`),
        );
    },
    WHOLE_LOOP_MS,
  );

  it('the base moves beside the plan, and nobody is bothered', async () => {
    const before = asReviewed(await world.until(issue, building));
    await pushed(world, 'maria', { branch: 'main', path: 'NEWS.md', text: 'News.\n' });
    const after = await world.until(issue, building);
    expect(asReviewed(after).review.packet.digest).toBe(before.review.packet.digest);
    expect(await told()).not.toMatch(/NEWS\.md/);
  });

  it(
    'the repository gets another name in the middle of BUILD: the loop goes on by its id and is judged under the new one',
    async () => {
      const before = await world.until(issue, building);
      expect((await world.as('maria', 'PATCH', '', { name: RENAMED })).status).toBe(200);
      runs.hold(WORKFLOWS.verify);
      runs.release(WORKFLOWS.build);
      const after = await world.until(
        issue,
        on(({ phase, built, entry }) => phase === 'VERIFY' && built.run?.entry === entry),
      );
      expect(after).toMatchObject({ ref: { repo: RENAMED }, counters: before.counters });
      expect(after.entries.find(({ entry }) => entry === before.entry)?.outcome).toBe('passed');
    },
    WHOLE_LOOP_MS,
  );

  it(
    'during VERIFY both push again, into the same file too: the candidate is void, and the next one descends from them',
    async () => {
      const verifying = asBuilt(
        await world.until(
          issue,
          on(({ phase, built }) => phase === 'VERIFY' && built.candidate !== undefined),
        ),
      );
      const server = await textAt(SERVER, verifying.started.branch);
      runs.hold(WORKFLOWS.build);
      await push('maria', verifying, SERVER, server.replace('age: 0', "age: 0, 'x-by': 'maria'"));
      const last = await push('wout', verifying, 'docs/wout.md', "Wout's.\n");
      await world.until(issue, (loop) => building(loop) && loop.review?.head === last);
      runs.release(WORKFLOWS.build);
      runs.release(WORKFLOWS.verify);
      const shipping = await world.until(
        issue,
        on(({ shipping: found }) => found?.promotedAt !== undefined),
      );
      const head = asReviewed(shipping).review.head;
      expect(await historyOf(world, head)).toEqual(expect.arrayContaining(commits.map(({ sha }) => sha)));
      const text = await textAt(SERVER, head);
      expect(text).toContain("'content-type': type, age: 0, 'x-by': 'maria'");
      expect(text).toContain('./search.js');
    },
    WHOLE_LOOP_MS,
  );
});

describe("SHIP among 40 jobs of the repository's own CI", () => {
  it(
    'the draft becomes ready only after the last job, within 150 requests in the hour, and people are told what is awaited',
    async () => {
      const outcome = await runCi({ world, time, issue, app: ci, jobs: CI_JOBS, pull });
      expect(CI_JOBS).toHaveLength(40);
      expect(outcome.draftWhile.every(({ draft }) => draft)).toBe(true);
      expect(outcome.readyAfterS).toBeGreaterThanOrEqual(LAST_JOB_ENDS);
      expect(outcome.sawUnknownMergeable).toBe(true);
      expect(outcome.boards.join('\n')).toMatch(/Waiting for the repository's own checks: `ci`\./);
      expect(outcome.boards.join('\n')).toMatch(
        /Waiting for the repository's own checks: `whether it can be merged`\./,
      );
      const end = await world.until(
        issue,
        on(({ status }) => status === 'succeeded'),
      );
      const requests = outcome.requests;
      expect(
        requests.length,
        JSON.stringify(
          Object.groupBy(requests, (one) => one),
          undefined,
          1,
        ),
      ).toBeLessThanOrEqual(150);
      expect(end.entries.find(({ phase }) => phase === 'SHIP')?.measurements).toMatchObject([
        { name: 'failed_checks', value: 0, source: '42 checks of the repository' },
      ]);
      const shown = await pull();
      expect(shown).toMatchObject({ draft: false, base: { repo: { name: RENAMED } } });
      expect(shown.body).toMatch(/All gates passed\. The pull request is ready for review; a person merges it\./);
      expect(await headOf(world, asStarted(end).started.branch)).toBe(asReviewed(end).review.head);
    },
    WHOLE_LOOP_MS,
  );
});
