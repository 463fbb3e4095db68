/** What steps leave in their job's folder is read and written from outside: never through a link that leads out of it. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insideJob, readInside } from '../../src/local/runner/inside.ts';
import {
  type GitServer,
  oneJob,
  removeTemporaryDirectories,
  runWorkflow,
  startGitServer,
  temporaryDirectory,
} from './workflow-kit.ts';

const TOKEN = 'ghs_secretOfTheRun';
let server: GitServer;
let outside: string;
let sha: string;
beforeAll(async () => {
  server = await startGitServer(TOKEN);
  sha = await server.commit('refs/heads/main', { 'README.md': 'toys\n' });
  outside = await temporaryDirectory();
  await writeFile(join(outside, 'secret'), 'value=of-the-host\n');
});
afterAll(async () => {
  await server.close();
  await removeTemporaryDirectories();
});

const run = (steps: string) => runWorkflow(oneJob(steps), { cloneUrl: server.cloneUrl, sha, token: TOKEN });

test.each([
  ['its outputs', 'GITHUB_OUTPUT'],
  ['its environment', 'GITHUB_ENV'],
  ['its path', 'GITHUB_PATH'],
  ['its summary', 'GITHUB_STEP_SUMMARY'],
])('a link in the place of %s is not followed', async (_, variable) => {
  const { result, log } = await run(`- run: ln -sf ${outside}/secret "$${variable}"\n- run: env; echo next`);
  expect(result.conclusion).toBe('failure');
  expect(log('only')).not.toContain('of-the-host');
});

test('a pipe in the place of the outputs keeps nobody waiting', async () => {
  const { result } = await run('- run: rm "$GITHUB_OUTPUT"; mkfifo "$GITHUB_OUTPUT"');
  expect(result.conclusion).toBe('failure');
});

test('an artifact has nothing from behind a link, in whatever folder of its path the link is', async () => {
  const record = await run(
    `- run: ln -s ${outside} out\n- uses: actions/upload-artifact@v7\n  with:\n    path: out/secret\n    if-no-files-found: error`,
  );
  expect(record.result.conclusion).toBe('failure');
  expect(record.artifacts).toEqual([]);
});

test('an artifact is not unpacked through a link', async () => {
  const record = await run(
    `- run: echo planted > planted\n- uses: actions/upload-artifact@v7\n  with:\n    path: planted\n- run: ln -s ${outside} way\n- uses: actions/download-artifact@v8\n  with:\n    name: artifact\n    path: way`,
  );
  expect(record.result.conclusion).toBe('failure');
  expect(existsSync(join(outside, 'planted'))).toBe(false);
});

test('a checkout is not made through a link, and puts no token into a file elsewhere', async () => {
  const through = await run(`- run: ln -s ${outside} way\n- uses: actions/checkout@v7\n  with:\n    path: way/here`);
  expect(through.result.conclusion).toBe('failure');
  expect(existsSync(join(outside, 'here'))).toBe(false);
  await run(
    `- uses: actions/checkout@v7\n- run: cp .git/config ${outside}/config; ln -sf ${outside}/config .git/config\n- uses: actions/checkout@v7`,
  );
  expect((await readFile(join(outside, 'config'), 'utf8')).match(/extraheader/g)).toHaveLength(1);
});

test('a script is not written into a folder elsewhere, and an action is not read from there', async () => {
  const script = await run(
    `- run: rmdir "$RUNNER_TEMP"/* ; rm -rf "$RUNNER_TEMP"; ln -s ${outside} "$RUNNER_TEMP"\n- run: echo planted`,
  );
  expect(script.result.conclusion).toBe('failure');
  await mkdir(join(outside, 'action'));
  await writeFile(
    join(outside, 'action', 'action.yml'),
    'runs: {using: composite, steps: [{run: echo from-the-host, shell: bash}]}',
  );
  const action = await run(`- run: ln -s ${outside}/action action\n- uses: ./action`);
  expect(action.log('only')).not.toContain('from-the-host');
});

test('a path is inside where it, or the folder that it would be made in, is', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'folder'));
  await symlink('folder', join(directory, 'near'));
  await symlink('/nowhere', join(directory, 'dangling'));
  await symlink(`${directory}-beside`, join(directory, 'beside'));
  for (const path of ['', 'folder', 'near/new/deeper'])
    expect(await insideJob({ directory }, join(directory, path))).toBe(join(directory, path));
  for (const path of ['..', '../x', 'dangling', 'dangling/new', 'beside'])
    await expect(insideJob({ directory }, join(directory, path))).rejects.toThrow('leads out');
  await expect(readInside({ directory }, join(directory, 'near'))).rejects.toThrow();
});
