import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeForgedResults, NODE_TESTS } from './forged-results.ts';
import { NODE_ATTACKS } from './node-attacks.ts';
import { openRunnerWorld, type RunnerWorld } from './runner-world.ts';

let world: RunnerWorld;
beforeAll(async () => {
  world = await openRunnerWorld();
});
afterAll(() => world.close());

// Each attack meets one shape here, in turns; e2e/jobs has all attacks on all shapes.
const SHAPES = Object.keys(NODE_TESTS);
describeForgedResults(
  () => world,
  (shape) => Object.keys(NODE_ATTACKS).filter((_, index) => SHAPES[index % SHAPES.length] === shape),
);

/** Each tries to get at the debugger of the main thread, and says what it got. */
const SPY = `const { Session } = require('node:inspector'); try { new Session().connectToMainThread(); say('connected'); } catch (error) { say(error.message); }`;
const IN_WORKER = `const { Worker } = require('node:worker_threads');
  const code = ${JSON.stringify(`const say = (text) => require('node:worker_threads').parentPort.postMessage(text); ${SPY}`)};
  const ask = (Thread, options) => new Promise((resolve) => new Thread(code, { eval: true, ...options }).on('message', resolve));`;
const DEBUGGERS: Readonly<Record<string, string>> = {
  'in a worker': `${IN_WORKER} exports.ask = () => ask(Worker);`,
  'in a worker with options of its own': `${IN_WORKER} exports.ask = () => ask(class extends Worker.prototype.constructor {}, { execArgv: [], env: {} });`,
  'in the thread of the loader': `const fs = require('node:fs');
    const code = ${JSON.stringify(`import fs from 'node:fs'; import { createRequire } from 'node:module'; const require = createRequire('/'); const say = (text) => fs.writeFileSync(new URL('said.txt', PLACE), text); ${SPY}`)};
    const place = require('node:url').pathToFileURL(__dirname + '/').href;
    exports.ask = async () => { require('node:module').register('data:text/javascript,' + encodeURIComponent(code.replace('PLACE', JSON.stringify(place)))); return fs.readFileSync(__dirname + '/said.txt', 'utf8'); };`,
  'by a signal': `exports.ask = async () => {
      process.kill(process.pid, 'SIGUSR1');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return fetch('http://127.0.0.1:9229/json').then(() => 'connected', () => 'is not there for code under test');
    };`,
};

it.each(Object.keys(DEBUGGERS))('refuses the debugger to a product that asks for it %s', async (name) => {
  const test = `import test from 'node:test'; import assert from 'node:assert'; import { ask } from './product.cjs';
    test('asks', async () => { assert.match(await ask(), /is not there for code under test/); });`;
  const files = { 'test.mjs': test, 'product.cjs': DEBUGGERS[name] ?? '' };
  expect(await world.attack('node-test', files, 'test.mjs::asks')).toMatchObject({ trusted: true, outcome: 'pass' });
});

it('lets nothing that it starts open the memory of the test runner, unless there is no sandbox', async () => {
  const test = `import test from 'node:test'; import assert from 'node:assert'; import { ask } from './product.cjs';
    test('asks', () => { assert.equal(ask(), ${JSON.stringify(world.sandbox.kind === 'none' ? 'open' : '')}); });`;
  const product = `const { spawnSync } = require('node:child_process');
    exports.ask = () => spawnSync('bash', ['-c', ': 2>/dev/null < /proc/$PPID/mem && echo open'], { encoding: 'utf8' }).stdout.trim();`;
  const result = await world.attack('node-test', { 'test.mjs': test, 'product.cjs': product }, 'test.mjs::asks');
  expect(result).toMatchObject({ trusted: true, outcome: 'pass' });
});

describe('a product that changes the tests which come after', () => {
  const one = `import './product.cjs'; import test from 'node:test'; test('one', () => {});`;
  const two = `import test from 'node:test'; import assert from 'node:assert'; import { two } from './product.cjs'; import { check } from './test/check.mjs';
    test('says two', () => { assert.equal(two(), 2); check(two()); });`;
  const check = `import assert from 'node:assert'; export const check = (value) => assert.equal(value, 2);`;

  it.each([
    [
      'their files',
      `fs.writeFileSync(__dirname + '/two.test.mjs', "import test from 'node:test'; test('says two', () => {});");`,
    ],
    [
      'their folder for a link',
      `fs.cpSync(__dirname + '/test', __dirname + '/other', { recursive: true }); fs.rmSync(__dirname + '/test', { recursive: true }); fs.symlinkSync('other', __dirname + '/test'); fs.writeFileSync(__dirname + '/two.test.mjs', "import test from 'node:test'; test('says two', () => {});");`,
    ],
  ])('does not pass when it exchanges %s', async (_name, attack) => {
    const product = `const fs = require('node:fs'); try { ${attack} } catch {} exports.two = () => 1;`;
    const files = { 'one.test.mjs': one, 'two.test.mjs': two, 'test/check.mjs': check, 'product.cjs': product };
    const id = 'two.test.mjs::says two';
    expect(await world.attack('node-test', files, id, ['one.test.mjs'])).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
  });
});
