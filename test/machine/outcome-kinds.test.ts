/** Every kind of outcome under every runner, in the real sandbox: each is told as what it is, and nothing but a pass is a pass. */
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUNNER_NAMES, type RunnerName } from '../../src/runners/runners.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { runTests, type TestRun } from '../../src/test-runs/test-run.ts';

const OURS = join(import.meta.dirname, '..', '..', 'node_modules');

let root: string;
let sandbox: Sandbox;
let packages: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'kinds-')));
  const installed = join(root, 'installed');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private":true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'jest@29.7.0'], { cwd: installed });
  packages = join(installed, 'node_modules');
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  for (const folder of [workspace, scratch]) await mkdir(folder);
  sandbox = await openSandbox({ workspace, scratch, readOnly: [OURS, packages], scripted: false });
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** How a language writes a product, and tests of it. */
interface Dialect {
  readonly file: string;
  readonly product: readonly [path: string, text: string];
  readonly head: string;
  /** One test by name, with one of these bodies. */
  readonly test: (name: string, body: Body) => string;
  readonly skipped: (name: string) => string;
  /** Stands alone, in place of everything. */
  readonly importsNothing: string;
}
type Body = 'passes' | 'asserts' | 'raises' | 'floods' | 'hangs' | 'kills';

const SCRIPT_PRODUCT = 'exports.boom = () => { throw new TypeError("of the product"); };\n';
const SCRIPT: Readonly<Record<Body, (check: string) => string>> = {
  passes: (check) => `${check}(1, 1);`,
  asserts: (check) => `${check}(1, 2);`,
  raises: () => 'boom();',
  floods: (check) => `for (let n = 0; n < 3000; n += 1) console.log('x'.repeat(1000)); ${check}(1, 1);`,
  hangs: () => 'for (;;);',
  kills: () => "process.kill(process.ppid, 'SIGKILL'); process.kill(process.pid, 'SIGKILL');",
};

function script(head: string, check: string, skip = 'test.skip'): Dialect {
  return {
    file: 'test/it.test.cjs',
    product: ['product.cjs', SCRIPT_PRODUCT],
    head: `${head}const { boom } = require('../product.cjs');\n`,
    test: (name, body) => `test('${name}', () => { ${SCRIPT[body](check)} });\n`,
    skipped: (name) => `${skip}('${name}', () => {});\n`,
    importsNothing: "require('./nowhere.cjs');\n",
  };
}

/** Vitest knows ES modules only. */
const VITEST: Dialect = {
  ...script('', 'same'),
  file: 'test/it.test.mjs',
  product: ['product.mjs', 'export const boom = () => { throw new TypeError("of the product"); };\n'],
  head: "import { expect, test } from 'vitest';\nimport { boom } from '../product.mjs';\nconst same = (a, b) => expect(a).toBe(b);\n",
  importsNothing: "import './nowhere.mjs';\n",
};

const PYTHON_PRODUCT = ['product.py', 'def boom():\n    raise TypeError("of the product")\n'] as const;
const PYTHON: Readonly<Record<Body, string>> = {
  passes: 'assert 1 == 1',
  asserts: 'assert 1 == 2, "wrong"',
  raises: 'boom()',
  floods: '[print("x" * 1000) for _ in range(3000)]',
  hangs: 'exec("while True: pass")',
  kills: '__import__("os").kill(__import__("os").getpid(), 9)',
};

const DIALECTS: Readonly<Record<RunnerName, Dialect>> = {
  'node-test': script("const test = require('node:test');\nconst same = require('node:assert').strictEqual;\n", 'same'),
  vitest: VITEST,
  jest: { ...script('const same = (a, b) => expect(a).toBe(b);\n', 'same'), file: 'test/it.test.js' },
  pytest: {
    file: 'test_it.py',
    product: PYTHON_PRODUCT,
    head: 'import pytest\nfrom product import boom\n',
    test: (name, body) => `def test_${name}():\n    ${PYTHON[body]}\n`,
    skipped: (name) => `@pytest.mark.skip("not now")\ndef test_${name}(): pass\n`,
    importsNothing: 'import nowhere\n',
  },
  unittest: {
    file: 'test_it.py',
    product: PYTHON_PRODUCT,
    head: 'import unittest\nfrom product import boom\n',
    test: (name, body) =>
      `class Of_${name}(unittest.TestCase):\n    def test_${name}(self):\n        ${PYTHON[body]}\n`,
    skipped: (name) =>
      `class Of_${name}(unittest.TestCase):\n    @unittest.skip("not now")\n    def test_${name}(self): pass\n`,
    importsNothing: 'import nowhere\n',
  },
};

describe.each(RUNNER_NAMES)('%s', (runner) => {
  const dialect = DIALECTS[runner];
  const idOf = (name: string): string => {
    const shown = { pytest: `test_${name}`, unittest: `Of_${name}.test_${name}` };
    return `${dialect.file}::${runner === 'pytest' || runner === 'unittest' ? shown[runner] : name}`;
  };

  async function run(text: string, names: readonly string[], timeoutMs = 60_000): Promise<TestRun> {
    const directory = await mkdtemp(join(treesDirectory(sandbox.scratch), 'case-'));
    const [path, product] = dialect.product;
    const manifest = JSON.stringify({ scripts: { test: runner } });
    const files = { 'package.json': manifest, [path]: product, [dialect.file]: text };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), content);
    }
    const installed = runner === 'jest' ? packages : OURS;
    await mkdir(join(directory, 'node_modules'));
    for (const name of await readdir(installed))
      if (!name.startsWith('.')) await symlink(join(installed, name), join(directory, 'node_modules', name));
    const limits = { timeoutMs, outputBytes: 100_000 };
    return runTests({ sandbox, directory, runner, files: [dialect.file], expected: names.map(idOf), ...limits });
  }

  const { head, test: one, skipped } = dialect;

  test('tells pass, assertion, error of the product and skip apart, beside a flood of output', async () => {
    const tests = `${one('right', 'passes')}${one('wrong', 'asserts')}${one('raising', 'raises')}${one('loud', 'floods')}`;
    const { results, trusted, problem } = await run(`${head}${tests}${skipped('left')}`, [
      ...['right', 'wrong', 'raising', 'loud', 'left'],
    ]);
    const told = ['right', 'wrong', 'raising', 'loud', 'left'].map((name) => {
      const { outcome, isRaised = false } = results.get(idOf(name)) ?? { outcome: undefined };
      return [name, outcome, isRaised];
    });
    expect({ told, trusted, problem }).toEqual({
      told: [
        ['right', 'pass', false],
        ['wrong', 'fail', false],
        ['raising', 'load-error', true],
        ['loud', 'pass', false],
        ['left', 'not-run', false],
      ],
      trusted: true,
      problem: undefined,
    });
    expect(results.get(idOf('raising'))?.message).toContain('of the product');
    expect(results.get(idOf('left'))?.message).toMatch(/skip/);
  });

  test('tells a file that cannot be imported', async () => {
    const { broken, results } = await run(dialect.importsNothing, ['any']);
    expect([...broken.keys()]).toEqual([dialect.file]);
    expect([...broken.values()].join()).toContain('nowhere');
    expect(results.get(idOf('any'))?.outcome).toBe('load-error');
  });

  test('tells that nothing was collected', async () => {
    const { broken, results } = await run(head, ['any']);
    expect([...broken.keys()]).toEqual([]);
    expect(results.get(idOf('any'))).toMatchObject({
      outcome: 'load-error',
      message: `no tests were found in ${dialect.file}`,
    });
  });

  test('tells a test that does not end, with the time', async () => {
    const { results } = await run(`${head}${one('endless', 'hangs')}`, ['endless'], 8000);
    const found = results.get(idOf('endless'));
    expect(found?.outcome).toBe('load-error');
    expect(found?.message).toMatch(/was stopped after \d+ ms|timed out after \d+ ?ms/);
  });

  test('tells a process that was killed', async () => {
    const { results, broken } = await run(`${head}${one('killed', 'kills')}`, ['killed']);
    expect(results.get(idOf('killed'))?.outcome).toBe('load-error');
    expect([...broken.keys()]).toEqual([dialect.file]);
  });
});
