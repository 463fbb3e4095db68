/** Workflows that the local runner cannot execute: their triggers are read all the same, so that a CI that is not understood never looks like none. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, git, HERE, type Stage, startStage } from './server.ts';
import { executeHere } from './workflow-kit.ts';

const JOB = 'runs-on: ubuntu-latest, steps: [{ run: "true" }]';
const workflow = (on: string, job: string) => `name: CI\non: ${on}\njobs: { test: { ${job} } }\n`;
const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/include.yml': workflow(
    '[push, pull_request]',
    `strategy: { matrix: { include: [{ a: 1 }] } }, ${JOB}`,
  ),
  '.github/workflows/exclude.yml': workflow('push', `strategy: { matrix: { a: [1, 2], exclude: [{ a: 1 }] } }, ${JOB}`),
  '.github/workflows/from-json.yml': workflow('push', `strategy: { matrix: "\${{ fromJSON('{}') }}" }, ${JOB}`),
  '.github/workflows/services.yml': workflow(
    '{ push: { branches: [feature/*] } }',
    `services: { db: { image: postgres } }, ${JOB}`,
  ),
  '.github/workflows/container.yml': workflow('push', `container: node:24, ${JOB}`),
  '.github/workflows/reusable.yml': workflow('push', 'uses: acme/ci/.github/workflows/test.yml@v1'),
  '.github/workflows/elsewhere.yml': workflow('{ push: { branches: [release] } }', `container: node:24, ${JOB}`),
  '.github/workflows/manual.yml': workflow('workflow_dispatch', `container: node:24, ${JOB}`),
  '.github/workflows/no-yaml.yml': 'name: CI\non: [push\njobs:\n',
  '.github/workflows/right.yml': workflow('push', JOB),
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ files: FILES, executeWorkflow: executeHere });
  const clone = `${stage.directory}/clone`;
  await git(stage.directory, [
    'clone',
    '--quiet',
    `${stage.server.url.replace('http://', 'http://alice:token-alice@')}/alice/toys.git`,
    clone,
  ]);
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'Change']);
  await git(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/feature/one']);
  await stage.as('alice').rest.pulls.create({ ...HERE, title: 'One', head: 'feature/one', base: 'main' });
  await eventually(
    async () => (await runs()).length >= 9 && (await runs()).every(({ status }) => status === 'completed'),
    'all runs ended',
    60_000,
  );
});
afterAll(() => stage.close());

async function runs() {
  const { data } = await stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, per_page: 100 });
  return data.workflow_runs;
}

test('each that a push or a pull request starts ends as a startup failure, and those that nothing starts do not begin', async () => {
  const ended = (await runs()).map(({ path, event, conclusion }) => `${path.split('/').at(-1)} ${event} ${conclusion}`);
  expect(ended.toSorted()).toEqual([
    'container.yml push startup_failure',
    'exclude.yml push startup_failure',
    'from-json.yml push startup_failure',
    'include.yml pull_request startup_failure',
    'include.yml push startup_failure',
    'no-yaml.yml push startup_failure',
    'reusable.yml push startup_failure',
    'right.yml push success',
    'services.yml push startup_failure',
  ]);
});

test.each([
  ['services.yml', 'jobs.test: the local runner does not know "services"'],
  ['include.yml', 'jobs.test.strategy.matrix: the local runner knows only a matrix of plain lists'],
  ['from-json.yml', 'include and exclude nor an expression'],
])('%s says why', async (file, reason) => {
  const run = (await runs()).find(({ path }) => path.endsWith(`/${file}`));
  const { body } = await stage.local('GET', `/repos/alice/toys/actions/runs/${run?.id}/problem`);
  const { problem } = z.object({ problem: z.string() }).parse(body);
  expect(problem).toContain(reason);
  const page = await (await fetch(`${stage.server.url}/alice/toys/actions/runs/${run?.id}`)).text();
  expect(page).toContain('the local runner');
});
