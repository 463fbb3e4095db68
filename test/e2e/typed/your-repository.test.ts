/** The demo on somebody's repository: who sits before it answers and approves. */
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '../../../src/settings/package-root.ts';
import { writeSetup } from '../../../src/settings/setup-files.ts';
import { started, typed } from '../../cli/terminal.ts';

const TIMEOUT_MS = 600_000;
const ISSUE = packageFile('src', 'demo', 'issue.md');
const SCRIPT = packageFile('src', 'demo', 'guestbook.yaml');
let root: string;
let shop: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'your-repository-'));
  shop = join(root, 'shop');
  await cp(packageFile('src', 'demo', 'repository'), shop, { recursive: true });
  const git = (...argv: readonly string[]) => execa('git', argv, { cwd: shop });
  await git('init', '--quiet', '--initial-branch', 'main');
  await writeSetup(shop, { force: false });
  await git('add', '.');
  await git('-c', 'user.name=Wout', '-c', 'user.email=wout@shop.example', 'commit', '--quiet', '-m', 'Open the shop');
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('what is typed is said for you, and nothing is answered or approved without you', {
  timeout: TIMEOUT_MS,
}, async () => {
  const demo = started(['demo', '--repo', shop, '--issue', ISSUE, '--script', SCRIPT], { input: 'pipe' });
  const type = (line: string): void => void demo.child.stdin?.write(`${line}\n`);
  await demo.until('You answer, approve and steer');
  await demo.until('waits for you: type for example');
  expect(demo.printed()).toContain('/_local/enter/');
  expect(demo.printed()).not.toContain('@maria       /answer');
  type('/answer 1a 2a');
  await demo.until('draft pull request #2');
  await demo.until('`/approve` here');
  type('/stop');
  await demo.until('Stopped by @maria');
  // With its input still open: whoever sits there need not close it.
  expect(await once(demo.child, 'exit')).toEqual([1, null]);
  expect(demo.printed()).toContain('Pull request');
  expect(demo.printed()).not.toContain('Approved by');
});

test('--json asks nothing, so a person has to be played', async () => {
  const { code, err } = await typed(['demo', '--repo', shop, '--issue', ISSUE, '--script', SCRIPT, '--json']);
  expect([code, err]).toEqual([
    1,
    ['--json shows no questions, and with --repo you answer them; add --yes to have a person played'],
  ]);
});

test('a loop that was not started says why', { timeout: TIMEOUT_MS }, async () => {
  await writeFile(join(shop, '.github', 'loopwright.yml'), 'version: 7\n');
  await execa('git', ['-c', 'user.name=Wout', '-c', 'user.email=w@s.example', 'commit', '-qam', 'Break it'], {
    cwd: shop,
  });
  const { code, err } = await typed(['demo', '--repo', shop, '--issue', ISSUE, '--script', SCRIPT, '--yes']);
  expect(code).toBe(1);
  expect(err.join('\n')).toContain('The loop was not started: ');
  expect(err.join('\n')).toContain('version');
});
