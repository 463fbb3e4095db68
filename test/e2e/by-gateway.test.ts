/** A loop whose jobs ask for models by the App, as on GitHub itself: they are told neither the key of the model nor its address. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readScript } from '../../src/demo/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../src/demo/scripted-model.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { listening } from '../listening.ts';
import { rightAtOnce, walked } from './acts.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

let world: World;
let model: ScriptedModel;
let door: Server;
let modelUrl: string;
let loop: Loop;
/** What the model was asked, as it sees who asks. */
const asked: { readonly key: string | undefined; readonly phase: unknown; readonly loop: unknown }[] = [];

beforeAll(async () => {
  const { issue: _, ...forAnyIssue } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  model = await startScriptedModel(rightAtOnce(forAnyIssue));
  door = createServer(async (request, response) => {
    const { authorization: key, 'x-loopwright-phase': phase, 'x-loopwright-loop': id } = request.headers;
    asked.push({ key, phase, loop: id });
    const headers = { 'x-loopwright-attempt': String(request.headers['x-loopwright-attempt']) };
    const body = await text(request);
    const answered = await fetch(new URL(request.url ?? '', model.url), { method: 'POST', headers, body });
    const type = answered.headers.get('content-type') ?? 'application/json';
    response.writeHead(answered.status, { 'content-type': type }).end(await answered.text());
  });
  modelUrl = `${await listening(door)}/v1`;
  world = await startWorld({ gateway: true, modelUrl, price: { prompt: 1, completion: 4 } });
  loop = await walked(world);
});
afterAll(async () => {
  await world.close();
  door.closeAllConnections();
  door.close();
  await model.close();
});

it('is verified', () => {
  expect(loop.note).toBe('All gates passed. The pull request is ready for review; a person merges it.');
});

it('has each call booked once, whoever made it', () => {
  for (const phase of ['DISCOVER', 'BUILD', 'SEED_DATA']) expect(asked.map((one) => one.phase)).toContain(phase);
  expect(loop.spent.calls).toBe(asked.length);
  expect(loop.spent.estimated).toBeUndefined();
  expect(loop.spent.usd).toBeGreaterThan(0);
});

it("asks the model with the App's key alone, and says for which loop", () => {
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(['Bearer scripted']));
  expect(new Set(asked.map((one) => one.loop))).toEqual(new Set([`${REPOSITORY}#${loop.ref.issue}`]));
});

const runList = z.object({ workflow_runs: z.array(z.object({ id: z.int(), path: z.string() })) });
const jobList = z.object({ jobs: z.array(z.object({ id: z.int(), name: z.string() })) });

it("shows in the log of its build no token, and the model's address nowhere", async () => {
  const { workflow_runs: runs } = runList.parse((await world.as('maria', 'GET', '/actions/runs')).body);
  const build = runs.find(({ path }) => path.includes('loopwright-build'));
  const { jobs } = jobList.parse((await world.as('maria', 'GET', `/actions/runs/${build?.id}/jobs`)).body);
  const job = jobs.find(({ name }) => name === 'build');
  const answer = await fetch(`${world.github.url}/api/v3/repos/${REPOSITORY}/actions/jobs/${job?.id}/logs`, {
    headers: { authorization: 'Bearer maria-token' },
  });
  const log = await answer.text();
  expect(log).toContain('build: pass');
  expect(log).not.toMatch(/eyJ[\w-]{10,}\./);
  expect(log).not.toContain(modelUrl);
});
