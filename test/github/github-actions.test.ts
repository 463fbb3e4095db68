import { strFromU8, unzipSync } from 'fflate';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArtifactError, WriteRefusedError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import { eventually, HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

const NAME = `run-name: loopwright-build \${{ inputs.loop }} entry \${{ inputs.entry }} (\${{ inputs.phase }})
on:
  workflow_dispatch:
    inputs:
      loop: { type: string, required: true }
      entry: { type: string, required: true }
      phase: { type: string, required: true }
permissions:
  contents: read
`;
const BUILD = `${NAME}jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: mkdir output; echo '{"kind":"build"}' > output/report.json
      - uses: actions/upload-artifact@0123456789012345678901234567890123456789
        with: { name: build, path: output }
`;
const SLOW = `${NAME.replace('loopwright-build', 'loopwright-verify')}jobs:
  slow:
    runs-on: ubuntu-latest
    steps: [{ run: sleep 60 }]
`;
const INPUTS = { loop: 'alice/toys#1', entry: '5', phase: 'BUILD' };

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  const files = { '.github/workflows/loopwright-build.yml': BUILD, '.github/workflows/loopwright-verify.yml': SLOW };
  stage = await startStage({ files, executeWorkflow: executeHere });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
});
afterAll(() => stage.close());

function github(
  change: (response: Response, request: Request) => Response | Promise<Response> = (response) => response,
) {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const through = wire({ apiUrl, checked: true });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    return change(await through(request.clone()), request);
  };
  return createGitHub({ appId, privateKey, apiUrl, fetch, pauseMs: 1, log: pino({ level: 'silent' }) });
}

async function finished(runId: number): Promise<void> {
  await eventually(
    async () => (await github().run(repository, runId)).status === 'completed',
    `run ${runId} completed`,
  );
}

/** A GitHub Enterprise Server tells no digest of the artifacts that it has. */
const ENTERPRISE = { 'x-github-enterprise-version': '3.17.0' };

/** Changes what the App reads about the artifact. */
function tampered(change: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
  return github(async (response, { url }) => {
    if (!url.includes('/artifacts?')) return response;
    const listed = await response.json();
    const artifacts = listed.artifacts.map((one: object) => ({ ...one, ...change }));
    return Response.json({ ...listed, artifacts }, { headers: { ...headers } });
  });
}

test('a run is dispatched on the default branch, found by its id, and delivers its artifact', async () => {
  const runId = await github().dispatch(repository, 'loopwright-build.yml', INPUTS, 1);
  await finished(runId);
  expect(await github().run(repository, runId)).toEqual({
    id: runId,
    status: 'completed',
    conclusion: 'success',
    path: '.github/workflows/loopwright-build.yml',
    event: 'workflow_dispatch',
    headSha: await github().head(repository, 'refs/heads/main'),
    attempt: 1,
  });
  const zip = await github().artifact(repository, runId, 'build', 10_000);
  expect(strFromU8(unzipSync(zip ?? new Uint8Array())['report.json'] ?? new Uint8Array())).toBe('{"kind":"build"}\n');
  expect(await github().artifact(repository, runId, 'seed', 10_000)).toBeUndefined();
});

test('an artifact that is too large, or another than GitHub recorded, is refused; one without a digest where it can have one, too', async () => {
  const runId = await github().dispatch(repository, 'loopwright-build.yml', { ...INPUTS, entry: '6' }, 1);
  await finished(runId);
  const size = (await github().artifact(repository, runId, 'build', 10_000))?.length ?? 0;
  const refused = async (from: ReturnType<typeof github>, maxBytes: number, words: RegExp) => {
    const asked = from.artifact(repository, runId, 'build', maxBytes);
    await expect(asked).rejects.toThrow(ArtifactError);
    await expect(asked).rejects.toThrow(words);
  };
  await refused(github(), size - 1, /at most/);
  await refused(tampered({ size_in_bytes: 1 }), size - 1, /larger than it says/);
  await refused(tampered({ digest: `sha256:${'0'.repeat(64)}` }), 10_000, /but GitHub says sha256:0/);
  await refused(tampered({ digest: null }), 10_000, /but GitHub says none/);
  await refused(tampered({ digest: `sha256:${'0'.repeat(64)}` }, ENTERPRISE), 10_000, /but GitHub says sha256:0/);
  expect(await tampered({ digest: null }, ENTERPRISE).artifact(repository, runId, 'build', 10_000)).toHaveLength(size);
  expect(await tampered({ expired: true }).artifact(repository, runId, 'build', 10_000)).toBeUndefined();
});

test('our token is not shown to where an artifact is kept', async () => {
  const runId = await github().dispatch(repository, 'loopwright-build.yml', { ...INPUTS, entry: '7' }, 1);
  await finished(runId);
  const seen: (string | null)[] = [];
  const outside = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    if (request.url.includes('/_local/downloads/')) seen.push(request.headers.get('authorization'));
    return outside(request);
  };
  try {
    await github().artifact(repository, runId, 'build', 10_000);
  } finally {
    globalThis.fetch = outside;
  }
  expect(seen).toEqual([null]);
});

test('the same dispatch again is the run that is there already', async () => {
  const inputs = { ...INPUTS, loop: 'alice/toys#2' };
  const runId = await github().dispatch(repository, 'loopwright-build.yml', inputs, 1);
  await finished(runId);
  expect(await github().dispatch(repository, 'loopwright-build.yml', inputs, 1)).toBe(runId);
  const { data } = await stage
    .as('alice')
    .rest.actions.listWorkflowRunsForRepo({ ...HERE, event: 'workflow_dispatch' });
  expect(data.workflow_runs.filter(({ display_title: title }) => title.includes('alice/toys#2'))).toHaveLength(1);
});

test('a run is cancelled, and cancelling it again changes nothing', async () => {
  const runId = await github().dispatch(repository, 'loopwright-verify.yml', { ...INPUTS, phase: 'VERIFY' }, 1);
  await eventually(async () => (await github().run(repository, runId)).status === 'in_progress', 'the run started');
  await github().cancelRun(repository, runId);
  await finished(runId);
  await github().cancelRun(repository, runId);
  expect(await github().run(repository, runId)).toMatchObject({ conclusion: 'cancelled' });
});

test('a run that a person started under our title is not ours', async () => {
  const inputs = { ...INPUTS, entry: '9' };
  await stage
    .as('bob')
    .rest.actions.createWorkflowDispatch({ ...HERE, workflow_id: 'loopwright-build.yml', ref: 'main', inputs });
  const { data } = await stage.as('bob').rest.actions.listWorkflowRunsForRepo(HERE);
  const forged = data.workflow_runs[0]?.id ?? 0;
  await finished(forged);
  expect(await github().dispatch(repository, 'loopwright-build.yml', inputs, 1)).not.toBe(forged);
});

test('a GitHub that does not know return_run_details is asked without it, and the run is found by its title', async () => {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const through = wire({ apiUrl, checked: true });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.method === 'POST' ? await request.clone().text() : '';
    if (body.includes('return_run_details')) {
      return Response.json(
        { message: 'Invalid request: "return_run_details" is not a permitted key.' },
        { status: 422 },
      );
    }
    return through(request);
  };
  const old = createGitHub({ appId, privateKey, apiUrl, fetch, pauseMs: 1, log: pino({ level: 'silent' }) });
  const runId = await old.dispatch(repository, 'loopwright-build.yml', { ...INPUTS, entry: '10' }, 1);
  await finished(runId);
  expect(await github().artifact(repository, runId, 'build', 10_000)).toBeDefined();
});

test('a workflow that refuses the inputs says why in the words of GitHub', async () => {
  const refused = github().dispatch(repository, 'loopwright-build.yml', { ...INPUTS, entry: '8', more: 'x' }, 1);
  await expect(refused).rejects.toThrow(WriteRefusedError);
  await expect(refused).rejects.toThrow(/more/);
});
