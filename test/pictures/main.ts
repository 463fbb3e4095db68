/** `npm run pictures`: takes the README's two pictures from a demo that really ran, with Chromium. Nothing in them is drawn or changed. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { chromium, type Locator, type Page } from 'playwright-core';
import { startTerminal } from '../machine/terminal.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'docs', 'pictures');
/** Two columns, and no table of the evidence cut; as wide as GitHub shows a picture in a README. */
const SCREEN = { viewport: { width: 1200, height: 1000 }, deviceScaleFactor: 0.75, colorScheme: 'light' } as const;
/** Letters without coloured edges: right on any screen, and a third of the bytes. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-lcd-text'];
/** Diagrams are drawn in the browser. */
const DRAWN = { timeout: 30_000 };

const directory = await mkdtemp(join(tmpdir(), 'loopwright-pictures-'));
try {
  await execa('npm', ['run', '-s', 'demo', '--', '--keep', join(directory, 'demo')], { stdio: 'inherit' });
  const terminal = await startTerminal(['--data', join(directory, 'demo')]);
  try {
    await takePictures(terminal.entrance);
  } finally {
    await terminal.interrupt();
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function takePictures(entrance: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
  try {
    const context = await browser.newContext(SCREEN);
    const page = await context.newPage();
    await page.goto(entrance);
    await page.getByLabel('You are').selectOption('maria');
    await page.getByRole('button', { name: 'Switch' }).click();
    await page.goto(new URL('/acme/guestbook/pull/2', entrance).href);
    await page.locator('.diagram svg').nth(3).waitFor(DRAWN);
    const [finished, packet] = [page.locator('article').first(), page.locator('article').nth(1)];
    await shoot(page, 'pull-request', {
      from: page.locator('body'),
      to: finished.getByRole('heading', { name: 'Remarks' }),
    });
    await shoot(page, 'packet', { from: packet, to: packet.getByRole('heading', { name: 'Doubts' }) });
  } finally {
    await browser.close();
  }
}

/** The width of one element, from its top to the top of another. */
async function shoot(
  page: Page,
  name: string,
  { from, to }: { readonly from: Locator; readonly to: Locator },
): Promise<void> {
  const [top, bottom] = await Promise.all([from.boundingBox(), to.boundingBox()]);
  if (top === null || bottom === null)
    throw new Error(`${name}: the page does not show where its picture begins and ends`);
  const clip = { x: top.x, y: top.y, width: top.width, height: bottom.y - top.y };
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true, clip });
}
