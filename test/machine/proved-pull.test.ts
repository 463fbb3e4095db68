/** In the browser: a person opens a pull request, sets the label `prove`, reads the verdict, and finds what the tests do not notice beside the code. */
import { mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headOf, pushed } from '../e2e/acts.ts';
import { REPOSITORY, startWorld, type World } from '../e2e/world.ts';

const OUTPUT = 'test-output/proved-pull';
/** Generous, because other test files share the machine. */
const LATER = { timeout: 600_000 };

let world: World;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  world = await startWorld();
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

const PRODUCT =
  'export const shortened = (text, most) => (text.length > most ? `$' + '{text.slice(0, most - 1)}…` : text);\n';
const TEST = `import test from 'node:test';
import assert from 'node:assert/strict';
import { shortened } from '../src/shortened.js';
test('a long text is shortened', () => assert.equal(shortened('guestbook', 5), 'gues…'));
`;

test('label, check run, annotations', async () => {
  const main = await headOf(world, 'main');
  await world.as('wout', 'POST', '/git/refs', { ref: 'refs/heads/shorten', sha: main });
  await pushed(world, 'wout', { branch: 'shorten', path: 'src/shortened.js', text: PRODUCT });
  await pushed(world, 'wout', { branch: 'shorten', path: 'test/shortened.test.js', text: TEST });

  await page.goto(`${world.github.url}/${REPOSITORY}/pulls`);
  await page.getByLabel('You are').selectOption('wout');
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.getByRole('link', { name: 'New pull request' }).click();
  await page.getByLabel('From').selectOption('shorten');
  await page.getByLabel('Title').fill('Shorten long entries');
  await page.screenshot({ path: `${OUTPUT}/1-new.png`, fullPage: true });
  await page.getByRole('button', { name: 'Create pull request' }).click();
  await page.waitForURL(/\/pull\/\d+$/);
  const address = page.url();
  await page.getByLabel('Or type one').fill('prove');
  await page.getByRole('button', { name: 'Add label' }).click();
  const line = page.locator('.checks li', { hasText: 'loopwright / proof' });
  await line.getByText('Running the tests with and without the change').waitFor(LATER);
  await page.screenshot({ path: `${OUTPUT}/2-running.png`, fullPage: true });
  // Without a reload: the page follows by itself.
  await line.getByText(/^Weakly proved: 1 test needs the change; \d+ of \d+ faults noticed$/).waitFor(LATER);
  await page.screenshot({ path: `${OUTPUT}/3-verdict.png`, fullPage: true });

  await page.goto(`${address}/checks`);
  const check = page.locator('[id^="check-"]', { hasText: 'loopwright / proof' });
  await check.getByText('All tests stay green with this fault').waitFor();
  await check.getByText('No test notices this fault:').first().waitFor();
  await check.getByText('+++ b/src/shortened.js').first().waitFor({ state: 'attached' });
  await page.screenshot({ path: `${OUTPUT}/4-check.png`, fullPage: true });
  expect(problems).toEqual([]);
});
