/** On a machine without bubblewrap: a real model, which is paid for, is not asked for what BUILD would refuse. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sandboxProblem } from '../../../src/cli/sandbox-here.ts';
import { writeSetup } from '../../../src/settings/setup-files.ts';
import { type Running, started, typed } from '../../cli/terminal.ts';
import { layDatabase } from '../../prepared.ts';

const TIMEOUT_MS = 600_000;
const SENTENCE =
  'The sandbox needs bubblewrap, and there is no bwrap on the PATH; install it on the runner (apt-get install bubblewrap) and allow user namespaces, or use the scripted model.';

let root: string;
let shop: string;
let issue: string;
/** Nobody listens there: a call would be seen as a failure. */
let environment: Record<string, string>;
let running: Running;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-no-sandbox-'));
  const bin = join(root, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  for (const name of ['git', 'sh']) await symlink(placeOf(name), join(bin, name));
  environment = { PATH: bin, LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'some' };
  shop = join(root, 'shop');
  issue = join(root, 'issue.md');
  await writeFile(issue, '# Sell tea\n\nTea is missing.\n');
  const git = (...argv: readonly string[]) => execa('git', argv, { cwd: shop });
  await execa('git', ['init', '--quiet', shop]);
  await writeSetup(shop, { force: false });
  await git('add', '.');
  await git('-c', 'user.name=Wout', '-c', 'user.email=wout@shop.example', 'commit', '--quiet', '-m', 'Open the shop');
});
afterAll(async () => {
  await running.end('SIGKILL');
  await rm(root, { recursive: true, force: true });
});

function placeOf(program: string): string {
  for (const directory of (process.env.PATH ?? '').split(delimiter))
    if (existsSync(join(directory, program))) return join(directory, program);
  throw new Error(`there is no ${program} on the PATH`);
}

test('the demo with a model of your own is refused before anything starts', async () => {
  const kept = join(root, 'kept');
  const refused = await typed(['demo', '--repo', shop, '--issue', issue, '--keep', kept], environment);
  expect(refused).toEqual({ code: 1, out: [], err: [SENTENCE] });
  expect(await readdir(kept)).not.toContain('github');
});

test('init writes the runner that it cannot try as a comment, and says what helps', async () => {
  const directory = join(root, 'untried');
  await execa('git', ['init', '--quiet', directory]);
  await mkdir(join(directory, 'test'));
  await writeFile(join(directory, 'package.json'), '{"scripts":{"test":"node --test"}}');
  await writeFile(join(directory, 'test', 'it.test.js'), "require('node:test')('it', () => {});\n");
  const { code, out, err } = await typed(['init', directory], environment);
  const why =
    'the sandbox needs bubblewrap, and there is no bwrap on the PATH; make bubblewrap work (apt-get install bubblewrap), then run init again, or uncomment it';
  expect({ code, err, last: out.at(-1) }).toEqual({
    code: 0,
    err: [],
    last: `No loop can start yet: \`# runner: node-test\` in .github/loopwright.yml is a comment, because ${why}.`,
  });
  expect((await readFile(join(directory, '.github', 'loopwright.yml'), 'utf8')).split('\n').slice(0, 4)).toEqual([
    'version: 1',
    'commands:',
    '  test: npm test',
    `  # runner: node-test   # not seen to work: ${why}`,
  ]);
});

test('start says that BUILD will be refused, and serves what needs no BUILD', { timeout: TIMEOUT_MS }, async () => {
  await layDatabase(join(root, 'data', 'database'));
  running = started(['start', '--data', join(root, 'data'), '--port', '0'], { environment });
  await running.until('Ctrl-C stops');
  expect(running.printed().split('\n')[0]).toBe(`Every BUILD will be refused on this machine. ${SENTENCE}`);
  expect(await running.end('SIGINT')).toBe(0);
});

test.each([
  ['there is no bubblewrap', undefined, SENTENCE],
  [
    'bubblewrap fails',
    1,
    SENTENCE.replace('there is no bwrap on the PATH', 'bwrap cannot create a namespace here (exit code 1)'),
  ],
  ['bubblewrap works', 0, undefined],
])('where %s, a real model is told of it and the scripted one is not', async (_, exitCode, sentence) => {
  const bin = await mkdtemp(join(root, 'bin-'));
  if (exitCode !== undefined) await writeFile(join(bin, 'bwrap'), `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', bin);
  const model = { name: undefined, apiKey: undefined, price: undefined };
  expect(await sandboxProblem({ ...model, baseUrl: 'http://127.0.0.1:1/v1', name: 'some' })).toBe(sentence);
  expect(await sandboxProblem({ ...model, baseUrl: undefined, name: undefined })).toBeUndefined();
  vi.unstubAllEnvs();
});
