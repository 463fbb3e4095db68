/** A person's whole journey through `npm start`, by the pages alone: from the label to the merge, with a Ctrl-C in between. */
import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childEnvironment } from '../../src/settings/env.ts';
import { freePort } from '../listening.ts';
import { type Started, startTerminal } from './terminal.ts';

const OUTPUT = 'test-output/browser';
/** Generous, because other test files share the machine. */
const SOON = { timeout: 600_000, interval: 250 };
/** A whole BUILD, failed once, and VERIFY on a busy machine. */
const LATER = { timeout: 600_000, interval: 500 };

let directory: string;
let browser: Browser;
let page: Page;
let terminal: Started;
const problems: string[] = [];

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  directory = await mkdtemp(join(tmpdir(), 'loopwright-browser-'));
  terminal = await startTerminal(['--port', String(await freePort()), '--data', join(directory, 'kept')]);
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => problems.push(error.message));
});

afterAll(async () => {
  // The last page and what the terminal said: where a failure is read first.
  await page?.screenshot({ path: `${OUTPUT}/last.png`, fullPage: true });
  await writeFile(`${OUTPUT}/terminal.txt`, terminal?.printed() ?? '');
  await browser?.close();
  await terminal?.interrupt();
  await rm(directory, { recursive: true, force: true });
});

let taken = 0;
async function shoot(name: string): Promise<void> {
  taken += 1;
  await page.screenshot({ path: `${OUTPUT}/${String(taken).padStart(2, '0')}-${name}.png`, fullPage: true });
}

test('a person labels, answers, reads, approves, watches, restarts in between, and merges', async () => {
  await page.goto(terminal.address);
  await expect.poll(() => page.locator('.chooser').textContent()).toContain('Open the address that was printed');
  await page.goto(terminal.entrance);
  await shoot('first-page');
  await page.getByLabel('You are').selectOption('maria');
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.getByRole('link', { name: 'Let visitors search the guestbook' }).click();
  await page.getByRole('link', { name: 'Let visitors search the guestbook' }).click();
  const mainBefore = await shaOf('refs/heads/main');

  await labelIssue();
  await answerQuestions();
  await readPacket();
  const pull = page.url();
  const packet = await shaOf('refs/heads/loopwright/1');

  expect(await terminal.interrupt()).toEqual([]);
  expect(terminal.printed()).toMatch(/\nStopping…\s*$/);
  terminal = await startTerminal(terminal.argv);
  expect(pull).toContain(`${terminal.address}/`);
  expect(await shaOf('refs/heads/loopwright/1')).toBe(packet);

  await page.goto(`${pull}/checks`);
  await pressApprove();
  await watchChecks();
  await readResult(pull);
  expect(await shaOf('refs/heads/main')).toBe(mainBefore);
  const head = await shaOf('refs/heads/loopwright/1');
  expect(await testsOf(head)).toContain('# fail 0');
  const product = await readFile(join(directory, 'branch', 'src', 'page.js'), 'utf8');
  expect(product.match(/<form>/g)).toHaveLength(1);

  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await expect.poll(() => badge(), SOON).toBe('Merged');
  await expect.poll(() => page.locator('.diagram svg').count(), SOON).toBe(4);
  await shoot('merged');
  expect(await parentsOf('main')).toEqual([mainBefore, head]);
  expect(problems).toEqual([]);
});

async function labelIssue(): Promise<void> {
  await shoot('issue');
  await page.getByLabel('Known label').selectOption('loop');
  await page.getByRole('button', { name: 'Add label' }).click();
  await shoot('labelled');
}

async function answerQuestions(): Promise<void> {
  await page.getByText('two questions').or(page.getByText('2 questions')).first().waitFor();
  await shoot('questions');
  await page.getByLabel('Add a comment').fill('/answer 1a 2a');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  // The sticky comment, the first of the bot, ends as a link.
  const link = page
    .locator('.comment')
    .nth(1)
    .getByRole('link', { name: /^#\d+$/ });
  await link.waitFor();
  await shoot('issue-with-link');
  await link.click();
}

async function readPacket(): Promise<void> {
  await expect.poll(() => page.locator('.diagram svg').count(), SOON).toBe(4);
  for (const drawing of await page.locator('.diagram svg').all())
    expect((await drawing.boundingBox())?.height).toBeGreaterThan(40);
  expect(await page.locator('pre.mermaid, .diagram-error').count()).toBe(0);
  expect(await badge()).toBe('Draft');
  await shoot('packet');
}

async function pressApprove(): Promise<void> {
  const plan = page.getByRole('article', { name: 'loopwright / plan' });
  await plan.getByRole('img', { name: 'action required' }).waitFor();
  await shoot('checks-before');
  await plan.getByRole('button', { name: 'Approve' }).click();
  await plan.getByRole('img', { name: 'success' }).waitFor();
  await shoot('approved');
}

/** Without a reload: the page follows by itself. */
async function watchChecks(): Promise<void> {
  const green = (name: string) => page.getByRole('article', { name }).getByRole('img', { name: 'success' }).count();
  await expect.poll(() => green('loopwright / build'), LATER).toBe(1);
  await shoot('built');
  for (const name of ['plan', 'build', 'verify', 'evidence'])
    await expect.poll(() => green(`loopwright / ${name}`), LATER).toBe(1);
  await shoot('checks-after');
}

async function readResult(pull: string): Promise<void> {
  for (const tab of ['files', 'commits']) {
    await page.goto(`${pull}/${tab}`);
    await shoot(tab);
  }
  await page.goto(pull.replace(/\/pull\/\d+$/, '/actions'));
  await shoot('actions');
  await page
    .getByRole('link', { name: /verify/i })
    .first()
    .click();
  await shoot('run');
  await page.goto(pull.replace(/\/pull\/\d+$/, '/issues/1'));
  await shoot('issue-after');
  await page.goto(pull);
  await expect.poll(() => badge(), SOON).toBe('Open');
  await expect.poll(() => page.locator('.diagram svg').count(), SOON).toBeGreaterThanOrEqual(4);
  await shoot('ready');
}

const badge = () => page.locator('.lead .badge').textContent();

const remote = () => `${terminal.address}/acme/guestbook.git`;

async function git(argv: readonly string[], cwd = directory): Promise<string> {
  const { stdout } = await execa('git', argv, { cwd, extendEnv: false, env: childEnvironment() });
  return stdout;
}

async function shaOf(ref: string): Promise<string> {
  const sha = (await git(['ls-remote', remote(), ref])).slice(0, 40);
  expect(sha).toMatch(/^[0-9a-f]{40}$/);
  return sha;
}

async function clone(name: string): Promise<string> {
  const checkout = join(directory, name);
  await git(['clone', '--quiet', remote(), checkout]);
  return checkout;
}

/** The repository's own tests on the loop branch, in a clone like anybody's. */
async function testsOf(head: string): Promise<string> {
  const checkout = await clone('branch');
  await git(['checkout', '--quiet', 'loopwright/1'], checkout);
  expect(await git(['rev-parse', 'HEAD'], checkout)).toBe(head);
  const { stdout } = await execa('npm', ['test', '--', '--test-reporter=tap'], {
    cwd: checkout,
    env: { NO_COLOR: '1' },
  });
  return stdout;
}

async function parentsOf(branch: string): Promise<readonly string[]> {
  const checkout = await clone('merged');
  return (await git(['log', '-1', '--format=%P', `origin/${branch}`], checkout)).split(' ');
}
