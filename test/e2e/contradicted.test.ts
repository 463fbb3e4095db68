/** An issue that contradicts an existing test: two builds say so, a new plan names it, people approve that by name, and the rest is green. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readScript } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { asBuilt, asReviewed, type BuiltLoop, type ReviewedLoop } from '../../src/loop/stages.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { listening } from '../listening.ts';
import { commented, proposed, rightAtOnce, said } from './acts.ts';
import { put, startWorld, type World } from './world.ts';

const FILE = 'test/page.test.js';
const HEAD = `import assert from 'node:assert/strict';
import test from 'node:test';
import { renderPage } from '../src/page.js';
`;
const OLD = "\ntest('the page has no form', () => assert.ok(!renderPage({ entries: [] }).includes('<form')));\n";
const KEPT =
  "\ntest('the page has a title', () => assert.ok(renderPage({ entries: [] }).includes('<h1>Guestbook</h1>')));\n";
const SUPERSEDED = {
  file: FILE,
  name: 'the page has no form',
  requirement: 'R-2',
  why: 'It asserts a page without a form; R-2 asks for a search field.',
};

/** Reads what it is told, as a model does: its plan names the test once the feedback does. */
async function startReader() {
  const { issue: _, ...demo } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const [plan] = demo.answers.plan ?? [];
  const better = { ...z.looseObject({}).parse(plan), supersededTests: [SUPERSEDED] };
  const model = await startScriptedModel(rightAtOnce({ ...demo, answers: { ...demo.answers, plan: [plan, better] } }));
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isTold = body.includes('"name":"plan"') && body.includes('contradicted-test');
    const attempt = isTold ? '2' : String(request.headers['x-loopwright-attempt']);
    const headers = { 'content-type': 'application/json', 'x-loopwright-attempt': attempt };
    const answer = await fetch(new URL(request.url ?? '', model.url), { method: 'POST', headers, body });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  const url = `${await listening(server)}/v1`;
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}

let reader: Awaited<ReturnType<typeof startReader>>;
let world: World;
let first: ReviewedLoop;
let second: ReviewedLoop;
let packets: readonly string[];
let end: BuiltLoop;

beforeAll(async () => {
  reader = await startReader();
  world = await startWorld({
    modelUrl: reader.url,
    prepare: (path) => put(path, FILE, `${HEAD}${OLD}${KEPT}`),
  });
  first = await proposed(world, 'Let visitors search the guestbook');
  const { issue } = first.ref;
  await commented(world, 'maria', first.review.pull, '/approve');
  second = asReviewed(
    await world.until(
      issue,
      ({ status, waitingFor, counters }) => status === 'stopped' || (waitingFor === 'approval' && counters.plans === 1),
    ),
  );
  packets = (await said(world, issue)).map(({ body }) => body).filter((body) => body.includes('### Requirements'));
  await commented(world, 'maria', second.review.pull, '/approve');
  end = asBuilt(await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped'));
});
afterAll(async () => {
  await world.close();
  await reader.close();
});

it('goes back to a new plan when the same existing test is red twice', () => {
  expect(second.status, second.note).toBe('waiting');
  expect(second.entries.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
    'DISCOVER passed',
    'DEFINE passed',
    'PLAN passed',
    'ARCH_REVIEW passed',
    'BUILD failed',
    'BUILD failed',
    'PLAN passed',
  ]);
  expect(second.approval).toBeUndefined();
});

it('shows the test to people before they approve, and only where a plan names it', () => {
  expect(packets).toHaveLength(2);
  expect(packets[0]).not.toContain('Tests that will be replaced');
  expect(packets[1]).toContain('**Approving takes exactly these out**');
  expect(packets[1]).toContain(`| \`${FILE}\` | \`${SUPERSEDED.name}\` | R-2 | ${SUPERSEDED.why} |`);
});

it('is green then: the named test is gone, the other one of its file is as it was', async () => {
  expect(end.status, end.note).toBe('succeeded');
  const { body } = await world.as('maria', 'GET', `/contents/${FILE}?ref=${end.started.branch}`);
  const { content } = z.object({ content: z.string() }).parse(body);
  expect(Buffer.from(content, 'base64').toString()).toBe(`${HEAD}${KEPT}`);
});

it('says in the pull request and in its evidence which tests were replaced, and why', async () => {
  const pull = (await world.as('maria', 'GET', `/pulls/${end.review.pull}`)).body;
  expect(z.object({ body: z.string() }).parse(pull).body).toContain(
    `### Tests that were replaced\n\nThese existing tests asserted the old behaviour.`,
  );
  const path = join('.loopwright', String(end.ref.issue), 'evidence.md');
  const { body } = await world.as('maria', 'GET', `/contents/${path}?ref=${end.started.branch}`);
  const evidence = Buffer.from(z.object({ content: z.string() }).parse(body).content, 'base64').toString();
  expect(evidence).toContain(SUPERSEDED.why);
  expect(evidence).not.toContain('nothing contradicts it');
});
