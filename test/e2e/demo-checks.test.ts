/** The demo's own checks on a machine without bubblewrap: they run for the demo, and are refused where anything else could be in them. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEMO_REPOSITORY, demoScript } from '../../src/demo/demo-material.ts';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { type LocalMode, startLocalMode } from '../../src/local-mode/local-mode.ts';
import { eventually } from '../eventually.ts';
import { git, octokit } from '../local/server.ts';
import { layDatabase } from '../prepared.ts';

const HERE = { owner: 'acme', repo: 'guestbook' };

let root: string;
let local: LocalMode | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-demo-checks-'));
});
afterEach(async () => {
  await local?.close();
  await rm(root, { recursive: true, force: true });
});

/** The path of a machine that has what the demo needs, and no bubblewrap. */
async function pathWithoutBubblewrap(): Promise<string> {
  const bin = join(root, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  const places = (process.env.PATH ?? '').split(delimiter);
  for (const name of ['git', 'sh', 'bash'])
    await symlink(places.map((place) => join(place, name)).find((file) => existsSync(file)) ?? name, join(bin, name));
  return bin;
}

/** Starts local mode, moves a loop's branch to something new, and tells how its checks ended. */
async function checksOf({ isDemo }: { readonly isDemo: boolean }) {
  const data = join(root, 'data');
  await layDatabase(join(data, 'database'));
  const path = await prepareDemoRepository(data);
  vi.stubEnv('PATH', await pathWithoutBubblewrap());
  local = await startLocalMode({
    dataDirectory: data,
    port: 0,
    imports: [{ path, fullName: DEMO_REPOSITORY }],
    users: [{ login: 'maria', role: 'admin', token: 'token-of-this-test' }],
    model: { baseUrl: undefined, name: undefined, apiKey: undefined, price: undefined },
    isDemo,
    script: demoScript(),
    log: pino({ level: 'silent' }),
  });
  vi.unstubAllEnvs();
  const clone = join(root, 'clone');
  const remote = `${local.githubUrl.replace('://', '://maria:token-of-this-test@')}/${DEMO_REPOSITORY}.git`;
  await git(root, ['clone', '--quiet', remote, clone]);
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'Search']);
  await git(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/loopwright/1']);
  const { rest } = octokit(local.githubUrl, 'token-of-this-test');
  const checks = async () =>
    (await rest.checks.listForRef({ ...HERE, ref: 'loopwright/1' })).data.check_runs.filter(
      ({ name }) => name === 'test',
    );
  await eventually(
    async () => (await checks()).some(({ status }) => status === 'completed'),
    'the check has ended',
    60_000,
  );
  const [check] = await checks();
  const { data: annotations } = await rest.checks.listAnnotations({ ...HERE, check_run_id: check?.id ?? 0 });
  return { conclusion: check?.conclusion, said: annotations.map(({ message }) => message) };
}

test('they run where repository and script are ours', async () => {
  expect(await checksOf({ isDemo: true })).toMatchObject({ conclusion: 'success' });
});

test('they are refused at the check, with what to install, where somebody else may have written what they run', async () => {
  expect(await checksOf({ isDemo: false })).toEqual({
    conclusion: 'failure',
    said: [
      '.github/workflows/ci.yml runs code of the repository, which bubblewrap must keep away from this machine, and there is no bwrap on the PATH; install it (apt-get install bubblewrap) and allow user namespaces.',
    ],
  });
});
