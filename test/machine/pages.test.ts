import { mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFakeGitHub, type FakeGitHub, startFakeGitHub } from '../local/pages-fake-github.ts';

const OUTPUT = 'test-output/pages';
const at = '2026-11-20T10:00:00Z';
const bot = { login: 'loopwright[bot]', type: 'Bot' };

const DIAGRAMS = {
  Component: 'flowchart LR\n  page["Page"] --> api["HTTP API"]\n  api --> store[("Store")]',
  Sequence: 'sequenceDiagram\n  participant P as Person\n  P->>API: GET /search?q=tea\n  API-->>P: 200, 3 results',
  'Data flow': 'flowchart TD\n  q[/query/] --> parse --> index[(index)] --> ranked[/ranked results/]',
  Deployment: 'flowchart TB\n  subgraph machine["One machine"]\n    node["Node process"] --- disk[("disk")]\n  end',
};
const PACKET = `<!-- packet:1 -->\n## Plan for review\n\n| requirement | task | proof |\n|---|---|---|\n| R-1 | T-1, T-2 | test |\n| R-2 | T-3 | P95 ≤ 200 ms |\n\n${Object.entries(
  DIAGRAMS,
)
  .map(([name, source]) => `<details open><summary>${name}</summary>\n\n\`\`\`mermaid\n${source}\n\`\`\`\n\n</details>`)
  .join('\n\n')}\n\nComment \`/approve\`, or press **Approve** in the checks.`;

let browser: Browser;
let fake: FakeGitHub;
let page: Page;
let url: string;
let close: () => Promise<void>;
const problems: string[] = [];
// Loading and drawing four kinds of diagram takes seconds on a small machine.
const PATIENCE = { timeout: 300_000 };

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});

afterAll(async () => browser?.close());

beforeEach(async () => {
  fake = createFakeGitHub();
  ({ url, close } = await startFakeGitHub(fake));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  problems.length = 0;
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  return async () => {
    await context.close();
    await close();
  };
});

async function signIn(login: string): Promise<void> {
  await page.getByLabel('You are').selectOption(login);
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.waitForLoadState();
}

const say = (body: string): void => {
  fake.state.comments = [{ id: 71, body, user: bot, created_at: at, updated_at: at }];
};

test('a comment with four Mermaid diagrams shows four drawings, under the strict policy', async () => {
  say(PACKET);
  await page.goto(`${url}/octo/shop/pull/9`);
  await expect.poll(() => page.locator('.diagram svg').count(), PATIENCE).toBe(4);
  expect(await page.locator('pre.mermaid').count()).toBe(0);
  for (const drawing of await page.locator('.diagram svg').all()) {
    expect((await drawing.boundingBox())?.height).toBeGreaterThan(40);
  }
  expect(await page.locator('.diagram').nth(1).textContent()).toContain('GET /search?q=tea');
  expect(problems).toEqual([]);
  await page.screenshot({ path: `${OUTPUT}/pull.png`, fullPage: true });
});

test('a diagram that cannot be drawn shows its source and the reason', async () => {
  say('```mermaid\nflowchart TD\n  A --> --> B\n```\n\n```mermaid\nflowchart TD\n  C --> D\n```');
  await page.goto(`${url}/octo/shop/pull/9`);
  await expect.poll(() => page.locator('.diagram svg').count(), PATIENCE).toBe(1);
  expect(await page.locator('.diagram-error').textContent()).toContain('could not be drawn: Parse error on line 2');
  expect(await page.locator('.mermaid-source').textContent()).toContain('A --> --> B');
});

test('a person chooses a name, presses the button of a check, and sees it turn green without a reload', async () => {
  await page.goto(`${url}/octo/shop/pull/9/checks`);
  await signIn('alice');
  await page.screenshot({ path: `${OUTPUT}/checks.png`, fullPage: true });
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect
    .poll(() => fake.requests.filter(({ method }) => method === 'POST').map(({ path, by }) => [path, by]))
    .toEqual([['/_local/repos/octo/shop/check-runs/31/actions/approve', 'Bearer alice-token']]);
  await page.waitForLoadState();
  Object.assign(fake.state.check, { conclusion: 'success' });
  fake.state.buttons = [];
  await page.getByRole('article', { name: 'example / plan' }).getByRole('img', { name: 'success' }).waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test('news waits while somebody types, and says so', async () => {
  await page.goto(`${url}/octo/shop/issues/5`);
  await page.getByLabel('Add a comment').fill('half a sent');
  say('A new comment');
  await page.getByText('This page has news.').waitFor();
  expect(await page.getByLabel('Add a comment').inputValue()).toBe('half a sent');
  expect(await page.getByText('A new comment').count()).toBe(0);
  await page.getByLabel('Add a comment').fill('');
  await page.getByLabel('Add a comment').blur();
  await page.getByText('A new comment').waitFor();
});

test('what was drawn and unfolded survives a refresh', async () => {
  say(PACKET.replace('<details open><summary>Component', '<details><summary>Component'));
  await page.goto(`${url}/octo/shop/pull/9`);
  await page.getByText('Component', { exact: true }).click();
  await expect.poll(() => page.locator('.diagram svg').count(), PATIENCE).toBe(4);
  fake.state.pull.title = 'A new title';
  await page.getByRole('heading', { name: 'A new title' }).waitFor();
  expect(await page.locator('.diagram svg').count()).toBe(4);
  expect(await page.locator('.diagram').first().isVisible()).toBe(true);
});

test.each([
  ['home', '/'],
  ['repository', '/octo/shop'],
  ['issues', '/octo/shop/issues'],
  ['new-issue', '/octo/shop/issues/new'],
  ['issue', '/octo/shop/issues/5'],
  ['commits', '/octo/shop/pull/9/commits'],
  ['files', '/octo/shop/pull/9/files'],
  ['runs', '/octo/shop/actions'],
  ['run', '/octo/shop/actions/runs/77'],
])('the page %s fits a telephone and reports no error', async (name, path) => {
  await page.goto(url + path);
  await signIn('alice');
  await page.screenshot({ path: `${OUTPUT}/${name}.png`, fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});

test('dark is the same page in dark colours', async () => {
  say(PACKET);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${url}/octo/shop/pull/9`);
  await expect.poll(() => page.locator('.diagram svg').count(), PATIENCE).toBe(4);
  const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(colour).toBe('rgb(20, 22, 26)');
  await page.screenshot({ path: `${OUTPUT}/pull-dark.png`, fullPage: true });
});
