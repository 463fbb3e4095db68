/** A finished pull request is sent back in the browser: two comments on lines, "Request changes"; it is built again, and ready again. */
import { mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { walked } from '../e2e/acts.ts';
import { asAsked, WANTED } from '../e2e/asked-differently.ts';
import { REPOSITORY, startWorld, type World } from '../e2e/world.ts';

const OUTPUT = 'test-output/rejected';
/** Generous, because other test files share the machine: a whole BUILD and VERIFY. */
const LATER = { timeout: 600_000, interval: 500 };

let world: World;
let loop: ReviewedLoop;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  world = await startWorld({ script: asAsked });
  loop = asReviewed(await walked(world));
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => problems.push(error.message));
});

afterAll(async () => {
  await page?.screenshot({ path: `${OUTPUT}/last.png`, fullPage: true });
  await browser?.close();
  await world?.close();
});

const badge = () => page.locator('.lead .badge').textContent();

/** Opens the field beside the line of the change that holds a text, and types into it. */
async function commentOn({ path, was, body }: (typeof WANTED)[number]): Promise<void> {
  const row = page
    .locator('details.diff', { has: page.locator('summary b', { hasText: path }) })
    .locator('tr.added', { hasText: was });
  await row.hover();
  await row.locator('.remark summary').click();
  await row.getByRole('textbox').fill(body);
}

test('a ready pull request is sent back by "Request changes" with two inline comments, is built again, becomes ready again', async () => {
  expect(loop.status, loop.note).toBe('succeeded');
  const address = `${world.github.url}/${REPOSITORY}/pull/${loop.review.pull}`;
  await page.goto(`${address}/files`);
  await page.getByLabel('You are').selectOption('wout');
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.waitForLoadState();
  expect(await badge()).toBe('Open');
  for (const wanted of WANTED) await commentOn(wanted);
  await page.screenshot({ path: `${OUTPUT}/1-comments.png`, fullPage: true });
  await page.getByText('Review changes').click();
  await page.getByLabel('Request changes').check();
  await page.screenshot({ path: `${OUTPUT}/2-verdict.png`, fullPage: true });
  await page.getByRole('button', { name: 'Submit review' }).click();

  await page.waitForURL(address);
  const review = page.locator('.review').last();
  for (const { path, body } of WANTED) await review.locator('.said', { hasText: path }).getByText(body).waitFor();
  await expect.poll(badge, LATER).toBe('Draft');
  await page.getByText('sent the finished pull request back').waitFor();
  await page.screenshot({ path: `${OUTPUT}/3-draft-again.png`, fullPage: true });

  // Without a reload: the page follows by itself.
  await expect.poll(badge, LATER).toBe('Open');
  await page.getByText('All gates passed. The pull request is ready for review').first().waitFor();
  await page.screenshot({ path: `${OUTPUT}/4-ready-again.png`, fullPage: true });
  await page.goto(`${address}/files`);
  for (const { path, is } of WANTED)
    await page.locator('details.diff', { hasText: path }).locator('tr.added', { hasText: is }).first().waitFor();
  expect(problems).toEqual([]);
});
