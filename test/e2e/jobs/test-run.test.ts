import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteCommand, testLimitOf } from '../../../src/test-runs/test-run.ts';
import { judgeRun } from '../../../src/test-runs/test-verdict.ts';
import { openRunnerWorld, type RunnerWorld } from '../../jobs/runner-world.ts';

let world: RunnerWorld;
beforeAll(async () => {
  world = await openRunnerWorld();
});
afterAll(() => world.close());

const NODE = `import test, { describe, it } from 'node:test'; import assert from 'node:assert/strict';\n`;

describe('node:test results', () => {
  it('tells an assertion from any other failure, and joins nested names', async () => {
    await world.write({
      'a.test.mjs': `${NODE}
        test('passes', () => assert.equal(1, 1));
        test('asserts', () => assert.equal(1, 2, 'one is not two'));
        test('throws', () => { throw new TypeError('no'); });
        test('imports nothing', async () => { await import('./nowhere.mjs'); });
        test('is late', { timeout: 20 }, () => new Promise((resolve) => setTimeout(resolve, 200)));
        test('is skipped', { skip: true }, () => {});
        test('is to do', { todo: true }, () => assert.fail());
        describe('outer', () => { it('inner', () => {}); it('bad', () => assert.ok(false)); });
        test('parent of a failure', async (t) => { await t.test('child', () => assert.ok(false)); });
        test('parent of an error', async (t) => { await t.test('child', () => assert.ok(false)); await t.test('other', () => nothing()); });
        test('twice', () => {}); test('twice', () => assert.ok(false));`,
    });
    const { outcomes, trusted, results } = await world.run('node-test', {
      'a.test.mjs': [
        ...['passes', 'asserts', 'throws', 'imports nothing', 'is late', 'is skipped', 'is to do', 'outer > inner'],
        ...['inner', 'outer > bad', 'parent of a failure', 'parent of an error', 'twice', 'never written'],
      ],
    });
    expect(trusted).toBe(true);
    expect(outcomes).toEqual({
      passes: 'pass',
      asserts: 'fail',
      throws: 'load-error',
      'imports nothing': 'load-error',
      'is late': 'load-error',
      'is skipped': 'not-run',
      'is to do': 'not-run',
      'outer > inner': 'pass',
      inner: 'pass',
      'outer > bad': 'fail',
      'parent of a failure': 'fail',
      'parent of an error': 'load-error',
      twice: 'fail',
      'never written': 'not-run',
    });
    expect(results.get('a.test.mjs::asserts')?.message).toContain('one is not two');
    expect(results.get('a.test.mjs::never written')?.message).toContain('there are: passes, asserts');
  });

  it.each([
    ['has a syntax error', 'const = 1;', /SyntaxError/],
    ['imports a missing module', `import './nowhere.mjs';`, /Cannot find module/],
    ['throws an assertion while loading', `${NODE} assert.equal(1, 2);`, /Expected values/],
    ['holds no test', 'export {};', /no tests were found/],
    ['leaves with exit code 0', `${NODE} test('t', () => {}); process.exit(0);`, /ended before its tests/],
  ])('calls it a load error when the file %s', async (_name, text, message) => {
    await world.write({ 'b.test.mjs': text, 'good.test.mjs': `${NODE} test('good', () => {});` });
    const { results, trusted } = await world.run('node-test', { 'b.test.mjs': ['t'], 'good.test.mjs': ['good'] });
    expect(trusted).toBe(true);
    expect(results.get('b.test.mjs::t')).toEqual({ outcome: 'load-error', message: expect.stringMatching(message) });
    expect(results.get('good.test.mjs::good')?.outcome).toBe('pass');
  });

  it('calls it a load error when the file does not exist or ends in the middle', async () => {
    await world.write({
      'c.test.mjs': `${NODE} test('first', () => {}); test('dies', () => process.exit(0)); test('last', () => {});`,
    });
    const { outcomes } = await world.run('node-test', {
      'c.test.mjs': ['first', 'dies', 'last'],
      'none.test.mjs': ['x'],
    });
    expect(outcomes).toEqual({ first: 'load-error', dies: 'load-error', last: 'load-error', x: 'load-error' });
  });

  it('stops a test that hangs and believes the others, also when the file leaves a server open', async () => {
    await world.write({
      'f.test.mjs': `${NODE} import { createServer } from 'node:http'; createServer().listen(0);
        test('good', () => {}); test('hangs', () => new Promise((resolve) => setTimeout(resolve, 60000)));`,
      'open.test.mjs': `${NODE} import { createServer } from 'node:http'; createServer().listen(0); test('open', () => {});`,
    });
    const { outcomes, trusted } = await world.run(
      'node-test',
      { 'f.test.mjs': ['hangs'], 'open.test.mjs': ['open'] },
      9000,
    );
    expect(trusted).toBe(true);
    expect(outcomes).toEqual({ hangs: 'load-error', open: 'pass' });
  });

  it('gives a test with a fault twenty times as long as the slowest took on the head, and those after it count', async () => {
    const file = (waits: string) =>
      `${NODE} test('first', () => new Promise((resolve) => setTimeout(resolve, 100))); test('waits', () => ${waits}); test('last', () => {});`;
    const names = { 'w.test.mjs': ['first', 'waits', 'last'] };
    await world.write({ 'w.test.mjs': file('{}') });
    const head = await world.run('node-test', names);
    const limit = testLimitOf(head, ['w.test.mjs::first', 'w.test.mjs::waits']) ?? 0;
    expect(limit).toBeGreaterThanOrEqual(2000);
    expect(testLimitOf(head, ['w.test.mjs::last'])).toBe(1000);
    await world.write({ 'w.test.mjs': file('new Promise((resolve) => setTimeout(resolve, 90000))') });
    const { outcomes, results } = await world.run('node-test', names, 200_000, 1500);
    expect(outcomes).toEqual({ first: 'pass', waits: 'load-error', last: 'pass' });
    expect(results.get('w.test.mjs::waits')?.message).toContain('timed out after 1500ms');
  });

  it('does not believe a file that blocks', async () => {
    await world.write({ 'blocks.test.mjs': `${NODE} test('good', () => {}); test('blocks', () => { for (;;); });` });
    const { outcomes } = await world.run('node-test', { 'blocks.test.mjs': ['good', 'blocks'] }, 3000);
    expect(['not-run', 'load-error']).toContain(outcomes.good);
    expect(['not-run', 'load-error']).toContain(outcomes.blocks);
  });

  it('believes nothing that is late as a whole, and leaves no file behind', async () => {
    const blocks = `${NODE} test('good', () => {}); for (;;);`;
    // A few are told apart; the time for the whole run is over before each of these had its own.
    const files = ['one.test.mjs', 'two.test.mjs', 'three.test.mjs', 'four.test.mjs'];
    await world.write(Object.fromEntries(files.map((file) => [file, blocks])));
    const tests = Object.fromEntries(files.map((file, index) => [file, index === 0 ? ['good'] : []]));
    const { trusted, problem, outcomes } = await world.run('node-test', tests, 4000);
    expect([trusted, outcomes.good]).toEqual([false, 'not-run']);
    expect(problem).toMatch(/^the test run was stopped after \d+ ms$/);
    expect((await readdir(world.scratch)).filter((name) => name.startsWith('run-'))).toEqual([]);
  });

  it('says so when a file does not even begin in time', () => {
    const silent = { exitCode: undefined, signal: 'SIGKILL', timedOut: true, truncated: false };
    const result = { ...silent, stdout: '', stderr: '', results: '', durationMs: 750 };
    const request = {
      directory: '/tree',
      files: ['late.test.mjs'],
      expected: ['late.test.mjs::good'],
      timeoutMs: 1500,
    };
    expect(judgeRun(request, [{ file: 'late.test.mjs', key: 'k', result, isLate: false }])).toMatchObject({
      trusted: false,
      problem: 'the test runner did not start late.test.mjs: it was stopped after 750 ms',
    });
  });

  it('names a test the same in every place, though its name holds the place', async () => {
    await world.write({ 'place.test.mjs': `${NODE} test('in ' + process.cwd(), () => assert.fail(process.cwd()));` });
    const { results } = await world.run('node-test', { 'place.test.mjs': [] });
    expect([...results]).toMatchObject([['place.test.mjs::in <root>', { message: expect.stringMatching(/<root>$/) }]]);
  });

  it('runs CommonJS and TypeScript test files', async () => {
    await world.write({
      'g.test.cjs': `const test = require('node:test'); test('common', () => {});`,
      'g.test.ts': `import test from 'node:test'; const one: number = 1; test('typed', () => { if (one !== 1) throw new Error(); });`,
    });
    const { outcomes } = await world.run('node-test', { 'g.test.cjs': ['common'], 'g.test.ts': ['typed'] });
    expect(outcomes).toEqual({ common: 'pass', typed: 'pass' });
  });
});

describe("the repository's own test command", () => {
  it('returns the exit code and the output', async () => {
    const { sandbox, workspace } = world;
    const request = { sandbox, directory: workspace, timeoutMs: 10_000, outputBytes: 1000 };
    expect(await suiteCommand({ ...request, command: 'echo out; exit 3' })).toMatchObject({
      exitCode: 3,
      stdout: 'out\n',
    });
  });
});
