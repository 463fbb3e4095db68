/** `loopwright init` as somebody types it: what it guesses is tried in the real sandbox, by real runners, before it is written. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { started, typed } from '../cli/terminal.ts';

let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'init-')));
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** Nothing is committed: what lies there counts. */
async function checkout(files: Files): Promise<string> {
  const directory = await mkdtemp(join(root, 'shop-'));
  await execa('git', ['init', '--quiet', directory]);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}

const configOf = (directory: string) => readFile(join(directory, '.github', 'loopwright.yml'), 'utf8');
/** What follows the runner in each of these files: nothing at their roots tells how the product is started. */
const SERVED = `  # A product that is asked over HTTP needs what starts it (its port is in $PORT), and a path that answers 200 when it is ready:
  # start: npm start
  # health: /
`;
const NODE_TEST = (body: string) => `import test from 'node:test';\ntest('it', () => { ${body} });\n`;
const UNITTEST =
  'import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_right(self):\n        self.assertEqual(2, 2)\n';

test('a runner that was seen to work is written, and what was tried is said', async () => {
  const directory = await checkout({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'test/red.test.js': NODE_TEST('throw 1;'),
    'test/green.test.js': `${NODE_TEST('')}// Longer than the one that is red, and so tried after it.\n`,
  });
  const { code, out, err } = await typed(['init', directory]);
  expect(code).toBe(0);
  expect(out[1]).toBe('tried  node-test on test/green.test.js: 1 test, 1 pass (sealed)');
  expect(out[2]).toMatch(/^tried {2}npm test: red, exit code 1(?:: |$)/);
  expect(err).toEqual([
    'trying node-test on test/red.test.js',
    'trying node-test on test/green.test.js',
    'trying npm test, for at most 5 minutes',
  ]);
  expect(await configOf(directory)).toBe(`version: 1\ncommands:\n  test: npm test\n  runner: node-test\n${SERVED}`);
});

test('what is not installed is no runner yet, and init completes its own file once it is', async () => {
  const directory = await checkout({
    'package.json': '{"type":"module","scripts":{"test":"vitest run"}}',
    '.gitignore': 'node_modules\n',
    'test/it.test.js': "import { expect, test } from 'vitest';\ntest('it', () => { expect(2).toBe(2); });\n",
  });
  const why = 'vitest is not installed in node_modules; install what is missing, then run init again, or uncomment it';
  const first = await typed(['init', directory]);
  expect(first.out[1]).toBe('tried  vitest on test/it.test.js: vitest is not installed in node_modules');
  expect(first.out[2]).toMatch(/^tried {2}npm test: red, exit code \d+: /);
  expect(first.out.at(-1)).toBe(
    `No loop can start yet: \`# runner: vitest\` in .github/loopwright.yml is a comment, because ${why}.`,
  );
  expect(await configOf(directory)).toBe(
    `version: 1\ncommands:\n  test: npm test\n  # runner: vitest   # not seen to work: ${why}\n${SERVED}`,
  );
  await symlink(join(import.meta.dirname, '..', '..', 'node_modules'), join(directory, 'node_modules'));
  const second = await typed(['init', directory]);
  expect(second.out[1]).toBe('tried  vitest on test/it.test.js: 1 test, 1 pass (told)');
  expect(second.out[2]).toMatch(/^tried {2}npm test: green in \d+ s$/);
  expect(await configOf(directory)).toBe(`version: 1\ncommands:\n  test: npm test\n  runner: vitest\n${SERVED}`);
});

test('where pytest is not installed, tests that unittest runs too are its own', async () => {
  const environment = join(root, 'environment');
  await execa('python3', ['-m', 'venv', '--without-pip', environment]);
  const directory = await checkout({ 'conftest.py': '', 'tests/test_it.py': UNITTEST });
  const bare = { PATH: `${join(environment, 'bin')}${delimiter}${process.env.PATH}` };
  const { out } = await typed(['init', directory], bare);
  expect(out[1]).toMatch(/^tried {2}pytest on tests\/test_it\.py: pytest is not installed here/);
  expect(out.slice(2, 4)).toEqual([
    'tried  unittest on tests/test_it.py: 1 test, 1 pass (sealed)',
    expect.stringMatching(/^tried {2}python3 -m unittest discover: /),
  ]);
  expect(await configOf(directory)).toContain('\n  runner: unittest\n');
});

test('pytest is written where it works', async () => {
  const directory = await checkout({ 'conftest.py': '', 'tests/test_it.py': 'def test_it():\n    assert True\n' });
  const { out } = await typed(['init', directory]);
  expect(out.slice(1, 3)).toEqual([
    'tried  pytest on tests/test_it.py: 1 test, 1 pass (sealed)',
    expect.stringMatching(/^tried {2}python3 -m pytest: green in \d+ s$/),
  ]);
});

test('nothing is tried where the configuration would be left as it is', async () => {
  const config = 'version: 1\ncommands: { test: make test, runner: pytest }\n';
  const directory = await checkout({ 'tests/test_it.py': UNITTEST, '.github/loopwright.yml': config });
  const { out, err } = await typed(['init', directory]);
  expect(err).toEqual([]);
  expect(out.filter((line) => line.startsWith('tried'))).toEqual([]);
  expect(await configOf(directory)).toBe(config);
});

test('Ctrl-C while something is tried leaves nothing behind', async () => {
  const directory = await checkout({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'test/slow.test.js': NODE_TEST('return new Promise((done) => setTimeout(done, 60_000));'),
  });
  const temporary = await mkdtemp(join(root, 'temporary-'));
  const running = started(['init', directory], { environment: { TMPDIR: temporary } });
  await running.until('trying node-test on test/slow.test.js');
  expect(await readdir(temporary)).not.toEqual([]);
  expect(await running.end('SIGINT')).toBe(130);
  expect(await readdir(directory)).not.toContain('.github');
  expect((await readdir(temporary)).filter((name) => name.startsWith('loopwright-init-'))).toEqual([]);
});
