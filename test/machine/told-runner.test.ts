/** Vitest and Jest as somebody has them installed, in the real sandbox: what each kind of outcome is told as, and what is not believed. */
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { checkoutsIn, type Files, proved } from './checkouts.ts';

const OURS = await realpath(join(import.meta.dirname, '..', '..', 'node_modules'));
/** As many people have them still, beside the Vitest that tests Loopwright. */
const INSTALLED = { 'vitest 1': 'vitest@1.6.1', jest: 'jest@29.7.0' } as const;

let root: string;
let sandbox: Sandbox;
let checkout: (base: Files, change: Files) => Promise<string>;
/** Folders of packages by tool. */
const packages = { vitest: OURS, 'vitest 1': '', jest: '' };
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'told-')));
  checkout = checkoutsIn(root);
  for (const [name, asked] of Object.entries(INSTALLED) as readonly (readonly [keyof typeof INSTALLED, string])[]) {
    const folder = join(root, name.replace(' ', '-'));
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    await execa('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', asked], { cwd: folder });
    packages[name] = join(folder, 'node_modules');
  }
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  for (const folder of [workspace, scratch]) await mkdir(folder);
  sandbox = await openSandbox({ workspace, scratch, readOnly: Object.values(packages), scripted: false });
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Tool = keyof typeof packages;
const TOOLS = Object.keys(packages) as readonly Tool[];

const nameOf = (tool: Tool) => (tool === 'jest' ? 'jest' : 'vitest');

/** Lays the files out with the tool, and runs `test/it.test.js`. */
async function run(tool: Tool, files: Files, minutes = 0.5) {
  const directory = await mkdtemp(join(treesDirectory(sandbox.scratch), 'case-'));
  const all = { 'package.json': `{"scripts":{"test":"${nameOf(tool)} --coverage"}}`, ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text ?? '');
  }
  await mkdir(join(directory, 'node_modules'));
  for (const name of await readdir(packages[tool]))
    if (!name.startsWith('.')) await symlink(join(packages[tool], name), join(directory, 'node_modules', name));
  const limits = { timeoutMs: minutes * 60_000, outputBytes: 1_000_000 };
  const found = await runTests({
    ...{ sandbox, directory, commands: { runner: nameOf(tool) }, files: ['test/it.test.js'], expected: [], ...limits },
  });
  const results = [...found.results].map(([id, result]) => [id.split('::')[1] ?? '', result] as const);
  return {
    ...found,
    outcomes: Object.fromEntries(results.map(([name, { outcome }]) => [name, outcome])),
    results: new Map(results),
  };
}

/** As both tools take it. */
const imports = (tool: Tool) =>
  nameOf(tool) === 'vitest' ? "import { expect, it, test, vi as jest } from 'vitest';\n" : '';

describe.each(TOOLS)('%s', (tool) => {
  const file = (...lines: readonly string[]): Files => ({ 'test/it.test.js': `${imports(tool)}${lines.join('\n')}\n` });

  test('tells what passes, fails by assertion, ends by an exception, and is left out', async () => {
    const { outcomes, results, trusted } = await run(
      tool,
      file(
        "test('right', () => { expect(1).toBe(1); });",
        "test('wrong', () => { expect(1).toBe(2); });",
        "test('raises', () => { throw new TypeError('no'); });",
        "test('rejects', async () => { await Promise.reject(new Error('later')); });",
        "test.skip('left out', () => {});",
        "test.todo('to do');",
        "test('never ends', () => new Promise(() => {}), 200);",
      ),
    );
    expect({ outcomes, trusted }).toEqual({
      outcomes: {
        right: 'pass',
        wrong: 'fail',
        raises: 'load-error',
        rejects: 'load-error',
        'left out': 'not-run',
        'to do': 'not-run',
        'never ends': 'load-error',
      },
      trusted: true,
    });
    expect(results.get('wrong')?.message).toMatch(/1[\s\S]*2/);
    expect(results.get('raises')).toMatchObject({
      isRaised: true,
      message: expect.stringMatching(/^(?:TypeError: )?no/),
    });
  });

  test('shows tests no argument, option or colour that is not what the tool is called with at home', async () => {
    const { outcomes, results } = await run(
      tool,
      file(
        "test('arguments', () => { expect(process.argv.slice(2).filter((word) => /json|loopwright|it\\.test/.test(word))).toEqual([]); });",
        "test('options', () => { expect(process.execArgv.filter((word) => /bare-arguments/.test(word))).toEqual([]); });",
        "test('colours', () => { expect(process.env.NO_COLOR).toBeUndefined(); });",
      ),
    );
    expect({ outcomes, said: [...results.values()].map(({ message }) => message).join('') }).toEqual({
      outcomes: { arguments: 'pass', options: 'pass', colours: 'pass' },
      said: '',
    });
  });

  test('names a test with the groups that it is in', async () => {
    const { outcomes } = await run(tool, {
      'test/it.test.js': `${imports(tool).replace('it,', 'describe,')}describe('a', () => { describe('b', () => { test('c', () => {}); }); });\n`,
    });
    expect(outcomes).toEqual({ 'a > b > c': 'pass' });
  });

  test('tells why a file cannot be loaded', async () => {
    const { broken, trusted } = await run(tool, file("throw new Error('not today');"));
    expect({ broken: [...broken.keys()], trusted }).toEqual({ broken: ['test/it.test.js'], trusted: true });
    expect([...broken.values()].join()).toContain('not today');
  });

  test('tells of no test where a file holds none', async () => {
    const { outcomes, broken, trusted } = await run(tool, file(''));
    expect({ outcomes, broken: [...broken], trusted }).toEqual({ outcomes: {}, broken: [], trusted: true });
  });

  test('is not believed where the process ends before its tests', async () => {
    const { outcomes, broken } = await run(
      tool,
      file("test('right', () => {});", 'process.kill(process.ppid, 9);', 'process.kill(process.pid, 9);'),
    );
    expect(Object.values(outcomes)).not.toContain('pass');
    expect(broken.size).toBe(1);
  });

  test('is stopped where a test blocks it', async () => {
    const { broken } = await run(tool, file("test('blocks', () => { for (;;); });"), 0.15);
    expect([...broken.values()].join()).toContain('was stopped after');
  });

  test('is not believed where what it runs first makes every assertion right', async () => {
    const patched = 'expect.extend({ toBe: () => ({ pass: true, message: () => "" }) });';
    const setup = nameOf(tool) === 'vitest' ? `import { expect } from 'vitest';\n${patched}` : patched;
    const config: Files =
      nameOf(tool) === 'vitest'
        ? { 'vitest.config.js': "export default { test: { setupFiles: ['./setup.js'] } };\n" }
        : { 'jest.config.json': '{"setupFilesAfterEnv":["./setup.js"]}' };
    const { trusted, problem } = await run(tool, {
      ...config,
      'setup.js': setup,
      ...file("test('wrong', () => { expect(1).toBe(2); });"),
    });
    expect(trusted).toBe(false);
    expect(problem).toContain('the sentinel that must fail is pass');
  });
});

describe('a change', () => {
  test('is proved by Vitest, in TypeScript, with what its tests do not notice', async () => {
    const spec = (name: string, line: string) =>
      `import { expect, test } from 'vitest';\nimport { price } from '../src/shop.ts';\ntest('${name}', () => { ${line} });\n`;
    const directory = await checkout(
      {
        'package.json': '{"type":"module","scripts":{"test":"vitest run --coverage"}}',
        '.gitignore': 'node_modules\n',
        'src/shop.ts': 'export const price = (count: number): number => count;\n',
        'test/zero.test.ts': spec('zero', 'expect(price(0)).toBe(0);'),
      },
      {
        'src/shop.ts': 'export const price = (count: number): number => (count > 9 ? count * 3 : count * 4);\n',
        'test/many.test.ts': spec('many', 'expect(price(20)).toBe(60);'),
      },
    );
    await symlink(OURS, join(directory, 'node_modules'));
    const { code, err, verdict, runner, trust, rows, strength } = await proved(directory);
    expect({ code, verdict, runner, trust, err }).toMatchObject({
      code: 0,
      verdict: 'weakly proved',
      runner: 'vitest',
      trust: 'told',
    });
    expect(rows).toMatchObject([{ test: 'test/many.test.ts::many', role: 'proves', how: 'assertion' }]);
    expect(strength?.survivors.map(({ file, line }) => `${file}:${line}`)).toEqual(['src/shop.ts:1']);
  });

  test('is proved by Jest in a package of a workspace, and judged by this tree and not by the checkout', async () => {
    const spec = (name: string, line: string) =>
      `const { price } = require('@shop/price');\ntest('${name}', () => { ${line} });\n`;
    const directory = await checkout(
      {
        'package.json': '{"private":true,"workspaces":["packages/*"]}',
        '.gitignore': 'node_modules\n',
        'packages/price/package.json': '{"name":"@shop/price","main":"index.js"}',
        'packages/price/index.js': 'exports.price = (count) => count;\n',
        'packages/till/package.json': '{"name":"@shop/till","scripts":{"test":"NODE_ENV=test jest --verbose"}}',
        'packages/till/zero.test.js': spec('zero', 'expect(price(0)).toBe(0);'),
      },
      {
        'packages/price/index.js': 'exports.price = (count) => count * 3;\n',
        'packages/till/many.test.js': spec(
          'many',
          "expect(process.env.NODE_ENV).toBe('test'); expect(price(20)).toBe(60);",
        ),
      },
    );
    await cp(packages.jest, join(directory, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    await mkdir(join(directory, 'node_modules', '@shop'));
    await symlink('../../packages/price', join(directory, 'node_modules', '@shop', 'price'));
    const { code, err, verdict, runner, rows } = await proved(directory);
    expect({ code, verdict, runner, err }).toMatchObject({ code: 0, verdict: 'proved', runner: 'jest' });
    expect(rows).toMatchObject([{ test: 'packages/till/many.test.js::many', role: 'proves', how: 'assertion' }]);
  });
});
