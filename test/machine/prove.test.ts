/** `loopwright prove` as somebody types it in a checkout: real git, the real sandbox, real runners. */
import { glob, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '../../src/settings/env.ts';
import { SOURCES, typed } from '../cli/terminal.ts';
import { eventually } from '../eventually.ts';
import { checkoutsIn, type Files, proved } from './checkouts.ts';

let root: string;
let checkout: (base: Files, change: Files) => Promise<string>;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'prove-')));
  checkout = checkoutsIn(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const MANIFEST = '{"type":"module","scripts":{"test":"node --test"}}';
const testOf = (name: string, body: string) =>
  `import test from 'node:test';\nimport assert from 'node:assert';\nimport * as shop from '../src/shop.js';\ntest('${name}', () => { ${body} });\n`;
const BASE: Files = {
  'package.json': MANIFEST,
  'src/shop.js': 'export const add = (a, b) => a - b;\nexport const one = () => 1;\n',
  'test/one.test.js': testOf('one', 'assert.equal(shop.one(), 1);'),
};
const FIXED = 'export const add = (a, b) => a + b;\nexport const one = () => 1;\n';
const ADDS = testOf('adds', 'assert.equal(shop.add(1, 2), 3);');

describe('a change with a test that needs it', () => {
  test('is proved: exit code 0, a line for each test', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    const { code, out, err } = await typed(['prove', 'main..fix', '--repo', directory]);
    expect(out.join('\n')).toMatch(
      /^ +proves +test\/add\.test\.js::adds {2}fails by assertion without the change: AssertionError/m,
    );
    expect(out.at(-1)).toBe('Proved (1 of 1 tests need the change).');
    expect(out).toContain('  keeps       1 test passes as before, in files that the change did not touch');
    expect(out[0]).toMatch(/tests by node-test \(its outcomes are sealed against the code under test\)/);
    expect(err.join('\n')).toContain('changed files: 1 with tests, 1 without');
    expect(code).toBe(0);
  });

  test('is told as the README shows it, and the patch there is green in its suite', async () => {
    const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const shown = /it says:\n\n```text\n(?<lines>.*?)\n```/s.exec(readme)?.groups?.lines ?? '';
    const directory = await checkout(
      { ...BASE, 'src/shop.js': 'export const shipping = (cents) => 500;\nexport const one = () => 1;\n' },
      {
        'src/shop.js': 'export const shipping = (cents) => (cents > 5000 ? 0 : 500);\nexport const one = () => 1;\n',
        'test/shipping.test.js': `${testOf('a large order is sent free', 'assert.equal(shop.shipping(8000), 0);')}test('a small order is not', () => assert.equal(shop.shipping(2000), 500));\n`,
      },
    );
    const { code, out } = await typed(['prove', 'main..fix', '--repo', directory]);
    const [first = '', ...rest] = shown.split('\n');
    const heads = /^[0-9a-f]{10} on top of [0-9a-f]{10}/;
    expect(rest).toEqual(out.slice(1));
    expect(first.replace(heads, '')).toBe(out[0]?.replace(heads, ''));
    expect(code).toBe(0);
    const patch = `${shown.slice(shown.indexOf('diff --git'), shown.indexOf('\n\nWeakly proved'))}\n`;
    await execa('git', ['apply'], { cwd: directory, input: patch });
    await execa('node', ['--test'], { cwd: directory, env: childEnvironment(), extendEnv: false });
  });

  test('is proved where what it adds is only worth a look, which is told', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': `${FIXED}// eslint-disable-next-line\nexport const run = (text) => eval(text);\n`,
      'test/add.test.js': `${ADDS}test('more', () => {});\ntest('runs', () => assert.equal(shop.run('1'), 1));\n`,
    });
    const { code, out } = await typed(['prove', 'main..fix', '--repo', directory]);
    const told = out.slice(out.indexOf('To look at:') + 1, out.lastIndexOf(''));
    expect(told).toEqual([
      expect.stringContaining('src/shop.js:3 keeps a linter'),
      expect.stringContaining('test/add.test.js:5 declares a test that asks nothing'),
      expect.stringContaining('src/shop.js:4'),
    ]);
    expect({ code, last: out.at(-1) }).toEqual({ code: 0, last: expect.stringMatching(/^Proved/) });
  });

  test('is not proved where it reaches for what judges it, although its test passes', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': `${FIXED}export const quiet = () => { JSON\n  .stringify = () => ''; };\n`,
      'test/add.test.js': ADDS,
    });
    const { code, out } = await typed(['prove', 'main..fix', '--repo', directory]);
    expect({ code, said: out.at(-1) }).toEqual({
      code: 1,
      said: expect.stringMatching(/src\/shop\.js:3.*judges the tests/),
    });
  });

  test('is proved without a range: from where the branch left main, whatever main did since', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    await execa('git', ['switch', '--quiet', 'main'], { cwd: directory });
    await writeFile(join(directory, 'other.md'), 'x');
    await execa('git', ['add', '--all'], { cwd: directory });
    await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-qm', 'other'], {
      cwd: directory,
    });
    await execa('git', ['switch', '--quiet', 'fix'], { cwd: directory });
    const { code, verdict, product } = await proved(directory);
    expect({ code, verdict, product }).toEqual({ code: 0, verdict: 'proved', product: ['src/shop.js'] });
  });

  test('is judged by the test files that are named, and how many are not asked is said', async () => {
    const red = testOf('needs a browser', 'assert.fail("there is no browser");');
    const files = { ...BASE, 'test/one.test.js': BASE['test/one.test.js'] ?? '', 'test/pages/shown.test.js': red };
    const change = { 'src/shop.js': FIXED, 'test/add.test.js': ADDS, 'test/pages/added.test.js': red };
    const directory = await checkout(files, change);
    const { code, out } = await typed(['prove', 'main..fix', '--repo', directory, '--tests', 'test/*.test.js']);
    expect(out.join('\n')).toContain(
      'not asked   2 other test files, so what they hold is not known (--tests, --directory)',
    );
    expect(out.at(-1)).toBe('Proved (1 of 1 tests need the change).');
    expect(code).toBe(0);
    const { code: whole } = await typed(['prove', 'main..fix', '--repo', directory]);
    expect(whole).toBe(1);
  });

  test.each([
    ['waits', 'async () => { await new Promise((resolve) => setTimeout(resolve, 50)); server = await served(); }'],
    ['does not wait', '() => { server = { port: 1 }; }'],
  ])('is judged by tests between hooks at the top of their file, where the first of them %s', async (_, hook) => {
    const served = `const served = () => new Promise((resolve) => {
  const made = http.createServer((request, response) => response.end(String(shop.add(1, 2)))).listen(0, '127.0.0.1', () => resolve({ made, port: made.address().port }));
});`;
    const text = `const test = require('node:test');
const assert = require('node:assert');
const http = require('node:http');
const shop = require('../shop.js');
let server;
${served}
test.before(${hook});
test.after(() => { server.made?.close(); server = undefined; });
test('answers', async () => {
  const told = server.made ? await (await fetch(\`http://127.0.0.1:\${server.port}\`)).text() : String(shop.add(1, 2));
  assert.equal(told, '3');
});
`;
    const old = { 'package.json': '{"scripts":{"test":"node --test"}}', 'shop.js': 'exports.add = (a, b) => a - b;\n' };
    const directory = await checkout(old, {
      'shop.js': 'exports.add = (a, b) => a + b;\n',
      'test/hooks.test.js': text,
    });
    const { code, verdict, rows } = await proved(directory);
    expect({ code, verdict, roles: rows.map(({ test, role }) => `${role} ${test}`) }).toEqual({
      code: 0,
      verdict: 'proved',
      roles: ['proves test/hooks.test.js::answers'],
    });
  });

  test('is not judged where the globs name no test file, which is said with one that there is', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    const { code, err } = await typed(['prove', '--repo', directory, '--tests', 'nowhere/**']);
    expect(code).toBe(2);
    expect(err.join('\n')).toMatch(
      /^not judged: No test file of node-test is at nowhere\/\*\* \(--tests\); the repository has 2, such as test\/\w+\.test\.js\.$/m,
    );
  });

  test('is told of a glob that names no test file beside one that does', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    const globs = ['--tests', 'test/*.test.js', '--tests', 'test/*.{js,ts}'];
    const { code, err } = await typed(['prove', '--repo', directory, ...globs]);
    expect(code).toBe(0);
    expect(err.filter((line) => line.includes('(--tests)'))).toEqual([
      'no test file is at test/*.{js,ts} (--tests): write `*` within a name and `**` for folders, nothing else',
    ]);
  });

  test.each([
    ['--tests', 'test/one*', /^None of the changed test files is at test\/one\* \(--tests\): test\/add\.test\.js\.$/],
    [
      '--directory',
      'nowhere',
      /^No test file of node-test is at nowhere \(--directory\); the repository has 2, such as/,
    ],
  ])('is not judged where %s leaves out its tests', async (option, value, says) => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    const { code, reasons } = await proved(directory, option, value);
    expect({ code, reasons }).toEqual({ code: 2, reasons: [expect.stringMatching(says)] });
  });

  test('is proved by an untouched test that reads the cases which it adds', async () => {
    const cases = (...rows: readonly (readonly number[])[]) => JSON.stringify(rows);
    const reads = `import fs from 'node:fs';
import test from 'node:test';
import assert from 'node:assert';
import { add } from '../src/shop.js';
for (const [a, b, sum] of JSON.parse(fs.readFileSync('test/data/cases.json', 'utf8')))
  test(\`\${a} and \${b}\`, () => assert.equal(add(a, b), sum));
`;
    const directory = await checkout(
      { ...BASE, 'test/cases.test.js': reads, 'test/data/cases.json': cases([1, 0, 1]) },
      { 'src/shop.js': FIXED, 'test/data/cases.json': cases([1, 0, 1], [1, 2, 3], [2, 2, 4]) },
    );
    const { code, verdict, rows } = await proved(directory);
    expect({ code, verdict, roles: rows.map(({ test, role }) => `${role} ${test}`) }).toEqual({
      code: 0,
      verdict: 'proved',
      roles: [
        'keeps test/cases.test.js::1 and 0',
        'proves test/cases.test.js::1 and 2',
        'proves test/cases.test.js::2 and 2',
      ],
    });
  });

  test('that no changed test needs is refused before the other tests are run, which is said', async () => {
    const others = { 'test/two.test.js': BASE['test/one.test.js'] ?? '', 'test/three.test.js': 'while (true);\n' };
    const directory = await checkout(
      { ...BASE, ...others },
      { 'src/shop.js': FIXED, 'test/idle.test.js': testOf('idle', 'assert.ok(1 === 1);') },
    );
    const { code, out } = await typed(['prove', 'main..fix', '--repo', directory]);
    expect(code).toBe(1);
    expect(out.join('\n')).toContain('not run     3 other test files: whatever they say, it is not proved');
    expect(out.at(-1)).toContain('No test in changed files fails without the change');
  });

  test('of tests and their data only is none to prove', async () => {
    const reads = testOf(
      'reads',
      "assert.equal(JSON.parse(fs.readFileSync('test/data/one.json', 'utf8')).one, shop.one());",
    );
    const directory = await checkout(BASE, {
      'test/data/one.json': '{"one":1}',
      'test/reads.test.js': `import fs from 'node:fs';\n${reads}`,
    });
    const { code, reasons, product } = await proved(directory);
    expect({ code, product, reason: reasons[0] }).toEqual({
      code: 1,
      product: [],
      reason: expect.stringContaining('changes nothing but tests'),
    });
  });

  test('is read below .loopwright too, where a product could keep its code', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': `export { add } from '../.loopwright/shop.js';\nexport const one = () => 1;\n`,
      '.loopwright/shop.js': 'JSON.parse = () => ({});\nexport const add = (a, b) => a + b;\n',
      '.loopwright/1/spec.md': 'R-1\n',
      'test/add.test.js': ADDS,
    });
    const { code, product, reasons } = await proved(directory);
    expect({ code, product }).toEqual({ code: 1, product: ['.loopwright/shop.js', 'src/shop.js'] });
    expect(reasons.join('\n')).toContain('.loopwright/shop.js:1');
  });

  test('is not blamed for a test beside its own that was red before, which is told', async () => {
    const before = `${BASE['test/one.test.js']}test('needs a network', () => assert.fail('no network'));\n`;
    const adds = "test('adds', () => assert.equal(shop.add(1, 2), 3));\n";
    const directory = await checkout(
      { ...BASE, 'test/one.test.js': before },
      { 'src/shop.js': FIXED, 'test/one.test.js': `${before}${adds}` },
    );
    const { code, verdict, rows } = await proved(directory);
    expect({ code, verdict }).toEqual({ code: 0, verdict: 'proved' });
    expect(rows.map(({ role }) => role).sort()).toEqual(['keeps', 'proves', 'red before']);
  });

  test('is not blamed for a red test in a file that it does not touch, which is told too', async () => {
    const red = testOf('needs a network', 'assert.fail("no network");');
    const directory = await checkout(
      { ...BASE, 'test/red.test.js': red },
      { 'src/shop.js': FIXED, 'test/add.test.js': ADDS },
    );
    const { code, out } = await typed(['prove', '--repo', directory]);
    expect(code).toBe(0);
    expect(out).toContain(
      '  red before  1 test was red without the change already, in files that it did not touch: test/red.test.js::needs a network',
    );
  });

  test('is told of a file that cannot be run to its end on the base, of which nobody knows what it holds', async () => {
    const holds = testOf('holds', 'assert.ok(true);');
    const ends = { 'test/ends.test.js': `${holds}process.exit(0);\n` };
    const stays = { 'test/stays.test.js': `${holds}if (shop.add(1, 2) !== 3) process.exit(0);\n` };
    const directory = await checkout(
      { ...BASE, ...ends, ...stays },
      { 'src/shop.js': FIXED, 'test/add.test.js': ADDS },
    );
    const { out } = await typed(['prove', '--repo', directory]);
    expect(out.join('\n')).toMatch(
      / {2}unknown {5}test\/stays\.test\.js cannot be run to its end without the change, so/,
    );
    expect(out.join('\n')).toMatch(
      / {2}unknown {5}test\/ends\.test\.js cannot be run to its end here, with the change or without it, so what it holds is not known: ./,
    );
  });

  test('is not blamed for a condition under which a test would be left out elsewhere', async () => {
    const skips = ADDS.replace("test('adds', ", "test('adds', { skip: process.platform === 'never' }, ");
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': skips });
    expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved' });
  });

  test('after which all stays is proved by a list that only keeps, and by nothing less', async () => {
    const list = join(root, 'keeps.yml');
    await writeFile(list, 'R-1: { keep: test/one.test.js }\n');
    const other = (BASE['src/shop.js'] ?? '').replace('() => 1', '() => {\n  return 1;\n}');
    const directory = await checkout(BASE, { 'src/shop.js': other });
    expect(await proved(directory)).toMatchObject({ code: 1 });
    expect(await proved(directory, '--requirements', list)).toMatchObject({ code: 0, verdict: 'proved' });
    const broken = await checkout(BASE, { 'src/shop.js': other.replace('return 1', 'return 2') });
    expect(await proved(broken, '--requirements', list)).toMatchObject({ code: 1, verdict: 'not proved' });
  });

  test('has its faults made where tests come to, however much of it they do not', async () => {
    const idle = Array.from(
      { length: 20 },
      (_, index) => `export function f${index}(a) {\n  return a > ${index} + 1;\n}\n`,
    ).join('');
    const directory = await checkout(BASE, { 'src/shop.js': FIXED + idle, 'test/add.test.js': ADDS });
    const { strength } = await proved(directory, '--faults', '2');
    expect(strength?.made).toBeGreaterThan(0);
    expect(strength?.unreached.length).toBeGreaterThanOrEqual(15);
  });

  test('finds what is installed in the checkout and in no commit', async () => {
    const library = join(root, 'library');
    await mkdir(library, { recursive: true });
    await writeFile(join(library, 'package.json'), '{"name":"sums","type":"module","exports":"./index.js"}');
    await writeFile(join(library, 'index.js'), 'export const sum = (a, b) => a + b;\n');
    const uses = "import { sum } from 'sums';\nexport const add = (a, b) => sum(a, b);\nexport const one = () => 1;\n";
    const directory = await checkout(
      { ...BASE, '.gitignore': 'node_modules\n' },
      { 'src/shop.js': uses, 'test/add.test.js': ADDS },
    );
    await mkdir(join(directory, 'node_modules'));
    await execa('cp', ['-r', library, join(directory, 'node_modules', 'sums')]);
    expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved' });
  });

  test('may move tests into another file', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': FIXED,
      'test/add.test.js': ADDS,
      'test/one.test.js': null,
      'test/first.test.js': BASE['test/one.test.js'] ?? '',
    });
    expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved', findings: [] });
  });

  test('writes nothing into the checkout, and asks no hook and no setting of it', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
    const trap = `${directory}-trap`;
    for (const name of ['post-checkout', 'reference-transaction'])
      await writeFile(join(directory, '.git', 'hooks', name), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    await execa('git', ['config', 'core.fsmonitor', `touch ${trap}`], { cwd: directory });
    const list = async () =>
      (await execa('find', ['.', '-not', '-name', 'index', '-newermt', '-1 seconds'], { cwd: directory })).stdout;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await proved(directory)).toMatchObject({ code: 0 });
    expect(await list()).toBe('');
    await expect(execa('test', ['-e', trap])).rejects.toThrow();
  });
});

describe('a test file that is stopped without the change', () => {
  const waits = (ms: number) =>
    `export const add = (a, b) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms}); return a + b; };\n`;
  const against = (before: number, after: number) =>
    checkout(
      { ...BASE, 'src/shop.js': `${waits(before)}export const one = () => 1;\n` },
      { 'src/shop.js': `${waits(after)}export const one = () => 1;\n`, 'test/add.test.js': ADDS },
    );

  test('shows a need where it takes much longer than on the head: it hangs there', async () => {
    const { code, rows } = await proved(await against(60_000, 1), 'main..fix', '--minutes', '0.5');
    expect(rows).toMatchObject([
      { role: 'proves', said: expect.stringMatching(/^test\/add\.test\.js was stopped after/) },
    ]);
    expect(code).toBe(0);
  });

  test('shows nothing where it may only be slow, and that is said', async () => {
    const { code, reasons } = await proved(await against(60_000, 5000), 'main..fix', '--minutes', '0.5');
    expect(reasons).toEqual([
      expect.stringMatching(
        /without the change: test\/add\.test\.js was stopped after 1\d s, and all of them took [5-9] s on the head, .*--minutes N/,
      ),
    ]);
    expect(code).toBe(2);
  });
});

describe('is not proved, exit code 1:', () => {
  const cases: readonly (readonly [string, Files, RegExp])[] = [
    [
      'half of the fix',
      { 'test/add.test.js': ADDS, 'src/shop.js': `${BASE['src/shop.js']}// fixed\n` },
      /No test in changed files fails without the change|does not pass on the head/,
    ],
    [
      'a test that asserts nothing',
      { 'src/shop.js': FIXED, 'test/add.test.js': testOf('adds', 'shop.add(1, 2);') },
      /No test in changed files fails without the change/,
    ],
    ['a change without a test', { 'src/shop.js': FIXED }, /No test was added or changed/],
    [
      'what breaks another test',
      { 'src/shop.js': 'export const add = (a, b) => a + b;\nexport const one = () => 2;\n', 'test/add.test.js': ADDS },
      /one\.test\.js::one passes on the base and no longer/,
    ],
    [
      'what skips another test',
      {
        'src/shop.js': FIXED,
        'test/add.test.js': ADDS,
        'test/one.test.js': testOf('one', '').replace("test('", "test.skip('"),
      },
      /leaves tests out/,
    ],
    [
      'what deletes another test',
      { 'src/shop.js': FIXED, 'test/add.test.js': ADDS, 'test/one.test.js': null },
      /test\/one\.test\.js has 0 tests instead of 1; no longer there: one\.$/,
    ],
    [
      'what takes a test out of a file',
      {
        'src/shop.js': FIXED,
        'test/add.test.js': ADDS,
        'test/one.test.js': "import 'node:test';\n",
      },
      /test\/one\.test\.js has 0 tests instead of 1; no longer there: one/,
    ],
    [
      'a test that rewrites another one while it runs',
      {
        'src/shop.js': 'export const add = (a, b) => a + b;\nexport const one = () => 2;\n',
        'test/add.test.js': testOf(
          'adds',
          "process.getBuiltinModule('fs').writeFileSync('test/one.test.js', ''); assert.equal(shop.add(1, 2), 3);",
        ),
      },
      /one\.test\.js::one passes on the base and no longer/,
    ],
    [
      'what loosens another test, so that it is content with what the change breaks',
      {
        'src/shop.js': 'export const add = (a, b) => a + b;\nexport const one = () => 1.5;\n',
        'test/add.test.js': ADDS,
        'test/one.test.js': testOf('one', 'assert.ok(shop.one() > 0);'),
      },
      /test\/one\.test\.js::one as it was on the base is red with the change .*1\.5 == 1.*it passes with and without the change/,
    ],
    [
      'what asks only for the text of the change',
      {
        'src/shop.js': FIXED,
        'test/add.test.js': testOf(
          'adds',
          `assert.equal(process.getBuiltinModule('fs').readFileSync('src/shop.js', 'utf8'), ${JSON.stringify(FIXED)});`,
        ),
      },
      /read its text.*test\/add\.test\.js::adds/,
    ],
    [
      'what changes how tests are run',
      {
        'src/shop.js': FIXED,
        'test/add.test.js': ADDS,
        'package.json': MANIFEST.replace('node --test', 'node --test || true'),
      },
      /changes how the tests are run/,
    ],
    [
      'a new function whose test only calls it',
      {
        'src/shop.js': `${BASE['src/shop.js']}export const twice = (a) => 2 * a;\n`,
        'test/add.test.js': testOf('twice', 'shop.twice(2);'),
      },
      /only because what they use is not there/,
    ],
  ];
  test.each(cases)('%s', async (_, change, reason) => {
    const { code, verdict, reasons } = await proved(await checkout(BASE, change));
    expect({ code, verdict }).toEqual({ code: 1, verdict: 'not proved' });
    expect(reasons.join('\n')).toMatch(reason);
  });
});

test('a test whose expectation changes with the product needs the change, and is proved', async () => {
  const directory = await checkout(BASE, {
    'src/shop.js': BASE['src/shop.js']?.replace('() => 1;', '() => 2;') ?? null,
    'test/one.test.js': testOf('one', 'assert.equal(shop.one(), 2);'),
  });
  expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved' });
});

describe('a test that cannot stay as it is', () => {
  const before = {
    ...BASE,
    'test/add.test.js': testOf('takes', 'assert.equal(shop.add(2, 1), 1); assert.throws(() => shop.add(2).x.y);'),
  };

  test('is told where its function has another name now, and it asks less', async () => {
    const directory = await checkout(before, {
      'src/shop.js': 'export const minus = (a, b = 0) => a - b;\nexport const one = () => 1;\n',
      'test/add.test.js': testOf('takes', 'assert.equal(shop.minus(2), 2);'),
    });
    const { code, findings } = await proved(directory);
    expect({ code, told: findings.map(({ message }) => message) }).toEqual({
      code: 0,
      told: [
        'test/add.test.js::takes cannot be asked as it was on the base, because what it used is not there, and it asserts once instead of 2.',
      ],
    });
  });

  test('is told where it gives what is needed now, and expects what it did', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': BASE['src/shop.js']?.replace('() => 1;', '(factor) => 1 * factor;') ?? null,
      'test/one.test.js': `${testOf('one', 'assert.equal(shop.one(1), 1);')}test('two', () => { assert.equal(shop.one(2), 2); });\n`,
    });
    const { code, findings } = await proved(directory);
    expect({ code, told: findings.map(({ message }) => message) }).toEqual({
      code: 0,
      told: [expect.stringContaining('with another set-up, or more arguments, and the same expectations it passes')],
    });
  });
});

test("what is not judged says why on standard error too, and Jest's absence is no verdict", async () => {
  const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': ADDS });
  const { code, out, err } = await typed(['prove', '--repo', directory, '--runner', 'jest']);
  expect(code).toBe(2);
  expect(err.at(-1)).toMatch(
    /^not judged: .*jest is not installed in node_modules.*; install in the checkout .*`npm ci`/s,
  );
  expect(out.join('\n')).not.toContain('installed');
});

describe('a Python environment in the checkout', () => {
  const shop = (operator: string) =>
    `import dependency\n\ndef add(a, b):\n    return dependency.same(a) ${operator} b\n`;
  const test_ = `import unittest\nimport shop\n\nclass Shop(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(shop.add(1, 2), 3)\n`;
  const files = { 'shop.py': shop('-'), 'test_shop.py': test_.replace('3)', '-1)'), '.gitignore': '.venv\n' };

  test('is used, though nobody activated it', async () => {
    const directory = await checkout(files, { 'shop.py': shop('+'), 'test_shop.py': test_ });
    await execa('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: directory });
    const [packages] = await Array.fromAsync(glob('.venv/lib/*/site-packages', { cwd: directory }));
    await writeFile(join(directory, packages ?? '', 'dependency.py'), 'def same(value):\n    return value\n');
    expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved' });
  });

  test('that is missing is no fault of the change: nothing is judged, and why is said', async () => {
    const directory = await checkout(files, { 'shop.py': shop('+'), 'test_shop.py': test_ });
    const { code, verdict, reasons } = await proved(directory);
    expect({ code, verdict }).toEqual({ code: 2, verdict: 'not judged' });
    expect(reasons.join()).toMatch(/test_shop\.py can be run neither on the head nor.*No module named 'dependency'/);
  });
});

describe('is not judged, exit code 2 and one sentence:', () => {
  const refused = async (...argv: readonly string[]) => {
    const { code, out, err } = await typed(['prove', ...argv]);
    expect(out).toEqual([]);
    expect(code).toBe(2);
    expect(err).toHaveLength(1);
    return err.join();
  };

  test.each([
    ['nosuch..HEAD', /"nosuch" names no commit/],
    ['HEAD..HEAD', /holds no change/],
    ['--output=x..HEAD', /there is no option/],
  ])('the range %s', async (range, sentence) => {
    const directory = await checkout(BASE, { 'src/shop.js': FIXED });
    expect(await refused(range, '--repo', directory)).toMatch(sentence);
  });

  test('a folder that is no checkout', async () => {
    expect(await refused('--repo', root)).toContain(`${root} is in no git checkout`);
    expect(await refused('--repo', join(root, 'nope'))).toContain(`${join(root, 'nope')} does not exist`);
  });

  test('to whoever reads JSON, there too', async () => {
    const { code, out, err } = await typed([
      'prove',
      'nosuch..HEAD',
      '--json',
      '--repo',
      await checkout(BASE, { 'src/shop.js': FIXED }),
    ]);
    expect(code).toBe(2);
    expect(JSON.parse(out.join('\n'))).toEqual({ verdict: 'not judged', reasons: err });
  });

  test('a runner that nobody knows, and a repository that shows none', async () => {
    const directory = await checkout({ 'a.txt': 'a' }, { 'a.txt': 'b' });
    expect(await refused('--repo', directory, '--runner', 'mocha')).toContain('There is no runner "mocha"');
    expect(await refused('--repo', directory)).toMatch(/^No file in [0-9a-f]{10} has a name that tests go by/);
    const tested = await checkout({ 'check/one.rb': '', 'test/b.js': '' }, { 'test/b.js': '//' });
    const unclear = await refused('--repo', tested);
    expect(unclear).toContain('cannot be told what runs the tests');
    expect(unclear).toContain('junit, with --junit-command and --junit-sentinel');
  });
});

test('a test that hangs is stopped, and proves nothing', async () => {
  const hangs = testOf('adds', 'for (;;);');
  const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': hangs });
  const { code, reasons } = await proved(directory, '--minutes', '0.15');
  expect(code).toBe(1);
  expect(reasons.join()).toMatch(
    /test\/add\.test\.js cannot be run on the head: test\/add\.test\.js was stopped after/,
  );
});

test('Python: a unittest test that needs the change proves it', async () => {
  const body = (name: string, line: string) =>
    `import unittest\nfrom shop import add\n\nclass ${name}(unittest.TestCase):\n    def test_it(self):\n        ${line}\n`;
  const directory = await checkout(
    {
      'shop.py': 'def add(a, b):\n    return a - b\n',
      'tests/test_zero.py': body('Zero', 'self.assertEqual(add(0, 0), 0)'),
    },
    {
      'shop.py': 'def add(a, b):\n    return a + b\n',
      'tests/test_add.py': body('Add', 'self.assertEqual(add(1, 2), 3)'),
    },
  );
  const { code, verdict, rows } = await proved(directory);
  expect({ code, verdict, rows }).toMatchObject({
    code: 0,
    verdict: 'proved',
    rows: [{ test: 'tests/test_add.py::Add.test_it', how: 'assertion' }],
  });
});

test('Python: a pytest test with a fixture that needs the change proves it, in a src layout', async () => {
  const body = (name: string, line: string) => `from shop import add\n\n\ndef ${name}(two):\n    assert ${line}\n`;
  const directory = await checkout(
    {
      'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
      'src/shop.py': 'def add(a, b):\n    return a - b\n',
      'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n',
      'tests/test_zero.py': body('test_zero', 'add(two, 0) == 2'),
    },
    { 'src/shop.py': 'def add(a, b):\n    return a + b\n', 'tests/test_add.py': body('test_add', 'add(1, two) == 3') },
  );
  const { code, runner, verdict, rows } = await proved(directory);
  expect({ code, runner, verdict, rows }).toMatchObject({
    code: 0,
    runner: 'pytest',
    verdict: 'proved',
    rows: [{ test: 'tests/test_add.py::test_add', role: 'proves', how: 'assertion' }],
  });
});

test('Python: fixtures that a conftest.py gains are no other way to run tests, and what works unasked is', async () => {
  const base = { 'shop.py': 'def add(a, b):\n    return a - b\n', 'tests/conftest.py': 'import pytest\n' };
  const fixture = '\n\n@pytest.fixture\ndef pair():\n    return 1, 2\n';
  const asks = 'from shop import add\n\n\ndef test_adds(pair):\n    assert add(*pair) == 3\n';
  const change = { 'shop.py': 'def add(a, b):\n    return a + b\n', 'tests/test_add.py': asks };
  const settings = { 'pytest.ini': '[pytest]\npythonpath = .\n' };
  const of = async (text: string) => {
    const directory = await checkout({ ...settings, ...base }, { ...change, 'tests/conftest.py': text });
    return (await typed(['prove', 'main..fix', '--repo', directory, '--faults', '0'])).out.at(-1);
  };
  expect(await of(`${base['tests/conftest.py']}${fixture}`)).toMatch(/^Proved|^Weakly proved/);
  expect(await of(`${base['tests/conftest.py']}${fixture.replace('fixture', 'fixture(autouse=True)')}`)).toContain(
    'tests/conftest.py changes how the tests are run.',
  );
});

test('a link that leads out of the checkout is laid as a link, and opens nothing', async () => {
  const secret = join(root, 'secret.txt');
  await writeFile(secret, 'canary-5d1f');
  const directory = await checkout(BASE, {
    'src/shop.js': FIXED,
    'test/add.test.js': testOf(
      'adds',
      "assert.equal(shop.add(1, 2), 3); assert.throws(() => process.getBuiltinModule('fs').readFileSync('src/out'));",
    ),
  });
  await symlink(secret, join(directory, 'src', 'out'));
  await execa('git', ['add', '--all'], { cwd: directory });
  await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-qm', 'link'], { cwd: directory });
  expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved' });
});

test('a test that is lost is run a second time before the change is blamed', async () => {
  const directory = await checkout(BASE, {
    'src/shop.js': FIXED.replace('=> 1', '=> 2'),
    'test/add.test.js': ADDS,
  });
  const { code, err, reasons } = await proved(directory);
  expect({ code, reasons: reasons.length }).toEqual({ code: 1, reasons: 1 });
  expect(err).toContain('1 of their tests pass on the base and not on the head: they are run again');
});

test('Ctrl-C leaves nothing behind, and is no verdict', async () => {
  const slow = testOf('adds', 'for (const end = Date.now() + 20_000; Date.now() < end; );');
  const directory = await checkout(BASE, { 'src/shop.js': FIXED, 'test/add.test.js': slow });
  const places = join(root, `places-${Date.now()}`);
  await mkdir(places);
  const running = execa(process.execPath, [SOURCES, 'prove', '--repo', directory], {
    extendEnv: false,
    env: { ...childEnvironment(), TMPDIR: places },
    reject: false,
  });
  const isAtWork = async () =>
    (await readdir(places, { recursive: true })).some((path) => /trees\/copy-\w+$/.test(path));
  await eventually(isAtWork, 'a copy of a tree is there');
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect({ exitCode, stdout, left: await readdir(places) }).toEqual({ exitCode: 130, stdout: '', left: [] });
});
