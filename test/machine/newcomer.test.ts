/**
 * The way of somebody who has a repository and nothing else, in the browser, by README's steps: the App is registered, started, installed; its pull request is completed and merged; an issue becomes a ready
 * pull request. On the way each misstep has its sentence, from `doctor` and from the check.
 */
import { mkdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { execa } from 'execa';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { readScript } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { RUNNER_SECRET } from '../../src/local/actions/runner-secret.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { type Running, started, typed } from '../cli/terminal.ts';
import { withoutMistake } from '../e2e/without-mistake.ts';
import { freePort, listening } from '../listening.ts';
import { COMMAND, LOCAL_GITHUB, LOCAL_RUNNER, layDatabase } from '../prepared.ts';

const OUTPUT = 'test-output/newcomer';
const REPOSITORY = 'acme/guestbook';
const SETUP = ['loopwright.yml', 'workflows/loopwright-build.yml', 'workflows/loopwright-verify.yml', 'actions'];
/** Generous, because other test files share the machine. */
const LATER = { timeout: 600_000, interval: 500 };

const stage = new AsyncDisposableStack();
let directory: string;
let github: string;
let app: string;
let envFile: string;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  directory = await mkdtemp(join(tmpdir(), 'loopwright-newcomer-'));
  stage.defer(() => rm(directory, { recursive: true, force: true }));
  envFile = join(directory, 'loopwright.env');
  const source = await prepareDemoRepository(directory);
  await bareOf(source);
  app = `http://127.0.0.1:${await freePort()}`;
  github = await startGitHub(source);
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  stage.defer(() => browser.close());
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => problems.push(error.message));
});

afterAll(async () => {
  await page?.screenshot({ path: `${OUTPUT}/last.png`, fullPage: true });
  await stage.disposeAsync();
});

/** As it was before anybody thought of loops. */
async function bareOf(path: string): Promise<void> {
  for (const name of SETUP) await rm(join(path, '.github', name), { recursive: true });
  await git(path, 'commit', '--quiet', '--all', '--message', 'Forget Loopwright');
}

async function git(cwd: string, ...argv: readonly string[]): Promise<string> {
  const who = ['-c', 'user.name=Maria', '-c', 'user.email=maria@guestbook.example'];
  const { stdout } = await execa('git', [...who, ...argv], { cwd, extendEnv: false, env: childEnvironment() });
  return stdout;
}

async function startGitHub(source: string): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const data = join(directory, 'github');
  const content = ['--import', `${source}=${REPOSITORY}`, '--user', 'maria:admin:maria-token'];
  await begun(started(['--data', data, '--port', new URL(url).port, ...content], { program: LOCAL_GITHUB }), '{');
  const place = ['--url', url, '--secret', join(data, RUNNER_SECRET), '--folder', join(directory, 'runner')];
  await begun(started(place, { program: LOCAL_RUNNER }), '{');
  return url;
}

async function begun(running: Running, words: string): Promise<void> {
  stage.defer(async () => void (await running.end('SIGTERM')));
  await running.until(words);
}

let taken = 0;
async function shoot(name: string): Promise<void> {
  taken += 1;
  await page.screenshot({ path: `${OUTPUT}/${String(taken).padStart(2, '0')}-${name}.png`, fullPage: true });
}

const environment = async () => parseEnv((await execa('cat', [envFile])).stdout) as Record<string, string>;

const report = z.object({
  rows: z.array(z.object({ area: z.string(), subject: z.string(), state: z.string(), sentence: z.string() })),
});

/** What `doctor` says of what is not as it must be, a line each. */
async function complaints(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { out } = await typed(['doctor', '--repo', REPOSITORY, '--json'], { ...(await environment()), ...more });
  const { rows } = report.parse(JSON.parse(out.join('\n')));
  return rows
    .filter(({ state }) => state === 'missing' || state === 'wrong')
    .map(({ area, subject, sentence }) => `${area}, ${subject}: ${sentence}`)
    .join('\n');
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

test('somebody with a repository and nothing else comes to a ready pull request', async () => {
  await registerApp();
  await missteps();
  await startApp();
  await installApp();
  const pull = await completePull();
  await makeEnvironment();
  await page.goto(pull);
  await press('Merge pull request');
  await expect.poll(() => page.locator('.lead .badge').textContent(), LATER).toBe('Merged');
  await tried(pull);
  expect(await complaints()).not.toMatch(/^(files|repository, trial|rules, environment|gateway)/m);
  await runLoop();
  expect(problems).toEqual([]);
});

async function registerApp(): Promise<void> {
  const port = await freePort();
  const registering = started([
    ...['register', '--public-url', app, '--github', github],
    ...['--port', String(port), '--file', envFile],
  ]);
  await registering.until('Ctrl-C ends this');
  // Whoever works here signs in first.
  await page.goto(github);
  await page.getByLabel('You are').selectOption('maria');
  await press('Switch');
  await page.goto(`http://127.0.0.1:${port}/`);
  await shoot('register');
  await page.getByRole('button', { name: /^Register it on/ }).click();
  await shoot('register-on-github');
  await press('Create GitHub App');
  await page.getByText('is registered').first().waitFor();
  await shoot('registered');
  await registering.until('Start it');
  const model = await startScriptedModel(
    withoutMistake(await readScript(packageFile('src', 'demo', 'guestbook.yaml'))),
  );
  stage.defer(() => model.close());
  const lines = [
    ...[`LLM_BASE_URL=${model.url}`, 'LLM_MODEL=scripted', 'LLM_PRICE=0/0', 'LOOPWRIGHT_SCRIPTED=true'],
    ...[`DATABASE_URL=${join(directory, 'database')}`, `WORKSPACE_DIR=${join(directory, 'clones')}`],
    ...[`HOST=127.0.0.1`, `PORT=${new URL(app).port}`, 'LOG_LEVEL=error'],
  ];
  await appendFile(envFile, `${lines.join('\n')}\n`);
  await layDatabase(join(directory, 'database'));
}

/** What is wrong on the way, as `doctor` says it before anything runs. */
async function missteps(): Promise<void> {
  const refusing = createServer((_, answer) => answer.writeHead(401).end('{"error":{"message":"Incorrect API key"}}'));
  const url = await listening(refusing);
  try {
    const said = await complaints({ LLM_BASE_URL: `${url}/v1`, LLM_API_KEY: 'sk-wrong', LOOPWRIGHT_SCRIPTED: '' });
    expect(said).toMatch(/^model, .+401/m);
    expect(said).toMatch(new RegExp(`^gateway, .+${new URL(app).port}`, 'm'));
    for (const file of ['workflows/loopwright-build.yml', 'workflows/loopwright-verify.yml', 'loopwright.yml'])
      expect(said).toContain(`.github/${file} is not on the default branch.`);
    expect(said).toContain('There is no environment `loopwright`');
  } finally {
    refusing.close();
  }
}

/** As the command that registered the App says it. */
async function startApp(): Promise<void> {
  const command = `set -a; . ${envFile}; exec ${process.execPath} --disable-warning=ExperimentalWarning ${COMMAND} start`;
  const running = execa('sh', ['-c', command], { extendEnv: false, env: childEnvironment(), reject: false });
  stage.defer(async () => {
    running.kill('SIGTERM');
    await running;
  });
  const isReady = async () => (await fetch(`${app}/readyz`).catch(() => undefined))?.status;
  await expect.poll(isReady, LATER).toBe(200);
}

async function installApp(): Promise<void> {
  await page.getByRole('link', { name: 'Install it' }).click();
  await page.getByLabel(REPOSITORY).check();
  await shoot('install');
  await press('Install');
  const pulls = async () => {
    await page.goto(`${github}/${REPOSITORY}/pulls`);
    return page.getByRole('link', { name: 'Set up Loopwright' }).count();
  };
  await expect.poll(pulls, LATER).toBe(1);
}

/** Both workflows by the pages that the pull request links, and the configuration by git. */
async function completePull(): Promise<string> {
  await page.getByRole('link', { name: 'Set up Loopwright' }).click();
  await page.getByRole('heading', { name: 'Set up Loopwright' }).waitFor();
  const pull = page.url();
  await shoot('pull-request');
  expect(await onCheck(pull, 'failure')).toContain('2 things are missing');
  await shoot('check-red');
  for (const name of ['loopwright-build.yml', 'loopwright-verify.yml']) {
    await page.goto(pull);
    await page.getByRole('listitem').filter({ hasText: name }).getByRole('link', { name: 'Add it' }).first().click();
    await expect.poll(() => page.getByLabel('File name').inputValue()).toBe(`.github/workflows/${name}`);
    await shoot(name.replace('.yml', ''));
    await press('Commit changes');
    await page.waitForURL(pull);
  }
  expect(await onCheck(pull, 'success')).toContain('There is no environment');
  // A key that nobody knows, then the right configuration.
  const checkout = join(directory, 'checkout');
  const remote = github.replace('://', '://maria:maria-token@');
  await git(directory, 'clone', '--quiet', '--branch', 'loopwright/setup', `${remote}/${REPOSITORY}.git`, checkout);
  const config = packageFile('src', 'demo', 'repository', '.github', 'loopwright.yml');
  const { stdout: right } = await execa('cat', [config]);
  await committed(checkout, right.replace('test:', 'tset:'));
  expect(await onCheck(pull, 'failure')).toContain('"commands.tset" is not a known key; remove it.');
  await committed(checkout, right);
  expect(await onCheck(pull, 'success')).toContain('With this pull request the default branch has all');
  await shoot('check-green');
  return pull;
}

async function committed(checkout: string, text: string): Promise<void> {
  await writeFile(join(checkout, '.github', 'loopwright.yml'), `${text}\n`);
  await git(checkout, 'commit', '--quiet', '--all', '--message', 'Say how the guestbook is tested');
  await git(checkout, 'push', '--quiet');
}

/** What the check says once it has come to this. */
async function onCheck(pull: string, conclusion: string): Promise<string> {
  const check = page.getByRole('article', { name: 'loopwright / setup' });
  const isSo = async () => {
    await page.goto(`${pull}/checks`);
    return check.getByRole('img', { name: conclusion }).count();
  };
  await expect.poll(isSo, LATER).toBeGreaterThan(0);
  return (await check.textContent()) ?? '';
}

async function makeEnvironment(): Promise<void> {
  await page.goto(`${github}/${REPOSITORY}/settings/environments`);
  await page.getByLabel('Name', { exact: true }).fill('loopwright');
  await page.getByLabel('Selected branches').check();
  await page.getByLabel('Branch names or patterns, one a line').fill('main');
  await press('Save environment');
  await shoot('environment');
}

async function tried(pull: string): Promise<void> {
  const said = async () => {
    await page.goto(pull);
    return page.getByText('tests are green twice').count();
  };
  await expect.poll(said, LATER).toBeGreaterThan(0);
  await shoot('tried');
}

async function runLoop(): Promise<void> {
  await page.goto(`${github}/${REPOSITORY}/issues/new`);
  await page.getByLabel('Title').fill('Let visitors search the guestbook');
  await page.getByLabel('Description').fill('By name and message, please.');
  await press('Create issue');
  await page.getByLabel('Or type one').fill('loop');
  await press('Add label');
  await page.getByText('2 questions').or(page.getByText('two questions')).first().waitFor();
  await page.getByLabel('Add a comment').fill('/answer 1a 2a');
  await press('Comment');
  const link = page
    .locator('.comment')
    .nth(1)
    .getByRole('link', { name: /^#\d+$/ });
  await link.waitFor();
  await link.click();
  const pull = page.url();
  await page.goto(`${pull}/checks`);
  const plan = page.getByRole('article', { name: 'loopwright / plan' });
  await plan.getByRole('button', { name: 'Approve' }).click();
  const isReady = async () => {
    await page.goto(pull);
    return page.locator('.lead .badge').textContent();
  };
  await expect.poll(isReady, { timeout: 600_000, interval: 3000 }).toBe('Open');
  await shoot('ready');
}
