/** Which workflows are kept in, and what is said where the machine cannot. The keeping itself is tried in test/machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { digestOfWorkflow } from '../../src/local/actions/workflow-digest.ts';
import type { WorkflowExecution } from '../../src/local/actions/workflow-types.ts';
import { confining } from '../../src/local/runner/enclosure.ts';
import { executeHere, executionOf, oneJob, removeTemporaryDirectories, temporaryDirectory } from './workflow-kit.ts';

const OWN = '.github/workflows/own.yml';
const TEXT = oneJob('- run: echo ran');
const DISPATCHED = { path: OWN, text: TEXT, event: 'workflow_dispatch', actor: 'loopwright[bot]' } as const;

let bin: string;
beforeEach(async () => {
  bin = join(await temporaryDirectory(), 'bin');
  await mkdir(bin);
  vi.stubEnv('PATH', bin);
});
// At once, and not before the next test: another file begins in this process.
afterEach(() => vi.unstubAllEnvs());
afterAll(removeTemporaryDirectories);

/** How the run ended, and what its job says. */
async function run(changes: Partial<WorkflowExecution>, known: readonly string[] = []) {
  const folder = join(await temporaryDirectory(), 'confinement');
  const outlet = () => Promise.reject(new Error('no step reaches the server here'));
  const execute = confining({ own: [OWN], known, folder, outlet });
  const { conclusion, jobs } = await executeHere(await executionOf(changes), execute);
  return { conclusion, said: jobs.flatMap(({ annotations }) => annotations.map(({ message }) => message)).join() };
}

test('the own workflow that the App dispatched on the default branch needs nothing', async () => {
  expect(await run(DISPATCHED)).toMatchObject({ conclusion: 'success' });
});

test.each<[string, Partial<WorkflowExecution>]>([
  ['another file', { path: '.github/workflows/ci.yml' }],
  ['a push', { event: 'push' }],
  ['a dispatch by a person', { actor: 'maria' }],
  ["a dispatch by a job's token", { actor: 'github-actions[bot]' }],
  ['a dispatch on another branch', { ref: 'refs/heads/loopwright/1' }],
])('%s is refused where there is no bubblewrap, with what to install', async (_, changes) => {
  const path = changes.path ?? OWN;
  expect(await run({ ...DISPATCHED, ...changes })).toEqual({
    conclusion: 'failure',
    said: `${path} runs code of the repository, which bubblewrap must keep away from this machine, and there is no bwrap on the PATH; install it (apt-get install bubblewrap) and allow user namespaces.`,
  });
});

test('a bubblewrap that does not work is said with its own words', async () => {
  await writeFile(join(bin, 'bwrap'), '#!/bin/sh\necho "No permissions" >&2\nexit 1\n', { mode: 0o755 });
  const { said } = await run({ ...DISPATCHED, event: 'push' });
  expect(said).toContain('bwrap cannot create a namespace here (No permissions); install it');
});

test('a bubblewrap that cannot be started is one that does not work', async () => {
  await writeFile(join(bin, 'bwrap'), '', { mode: 0o644 });
  expect((await run({ ...DISPATCHED, event: 'push' })).said).toContain('bwrap cannot create a namespace here (');
});

test("the demo's own checks run also where there is none, to the letter as we wrote them", async () => {
  const digest = digestOfWorkflow(TEXT);
  expect(await run({ ...DISPATCHED, event: 'push' }, [digest])).toMatchObject({ conclusion: 'success' });
  expect(await run({ ...DISPATCHED, event: 'push', text: `${TEXT}\n# more` }, [digest])).toMatchObject({
    conclusion: 'failure',
  });
});

test("only the own workflow finds this machine's programs, its way to a registry and what was fetched from there", async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128');
  vi.stubEnv('npm_config_cache', '/fetched');
  vi.stubEnv('npm_config__auth', 'not for steps');
  const text = oneJob(
    `- run: test "$HTTPS_PROXY" = http://proxy.example:3128 && test "$npm_config_cache" = /fetched && test -z "$npm_config__auth" && fetch`,
  );
  await writeFile(join(bin, 'fetch'), '#!/bin/sh\n', { mode: 0o755 });
  expect(await run({ ...DISPATCHED, text })).toMatchObject({ conclusion: 'success' });
  const known = [digestOfWorkflow(text)];
  expect(await run({ ...DISPATCHED, event: 'push', text }, known)).toMatchObject({ conclusion: 'failure' });
});
