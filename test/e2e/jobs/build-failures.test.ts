/** What a build does when tests, model or set-up are not usable: it says so and proposes nothing. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { briefFor, DESIGN, FROZEN_FILE, FROZEN_TEXT, GOOD, numbersOf, write } from '../../jobs/build-fixture.ts';
import { commandsOf } from '../../jobs/plain-brief.ts';
import { ANSWERS, anotherCheckout, jobOnRepository, previousOf, writing } from './job-on-repository.ts';

const { place, build } = jobOnRepository();

test('tests that are already green, hollow, misplaced or missing are told to the designer, whose next attempt is taken', async () => {
  const green = FROZEN_TEXT.replace(
    '../src/greet.js',
    'data:text/javascript,export function greetAll() { return "Hello A, Hello B" }',
  );
  const { report, requests } = await build({
    answers: {
      ...ANSWERS,
      'acceptance-tests': [{ ...DESIGN, files: [{ path: FROZEN_FILE, content: green }] }, DESIGN],
    },
    turns: writing(GOOD),
  });
  expect(numbersOf(report).test_failures).toBe(0);
  expect(requests[1]?.headers.attempt).toBe('2');
  expect(requests[1]?.messages.at(-1)?.content).toContain(
    `The change test ${FROZEN_FILE}::greets all has the outcome pass on the base`,
  );
});

test('a test whose product throws on the base is told how a throw becomes an assertion', async () => {
  const throwing = FROZEN_TEXT.replace("  assert.equal(typeof greetAll, 'function');\n", '');
  const { requests } = await build({
    answers: {
      ...ANSWERS,
      'acceptance-tests': [{ ...DESIGN, files: [{ path: FROZEN_FILE, content: throwing }] }, DESIGN],
    },
    turns: writing(GOOD),
  });
  const told = String(requests[1]?.messages.at(-1)?.content);
  expect(told).toContain('stops on the base with an error that is no assertion, but must fail there by assertion');
  expect(told).toContain('greetAll is not a function');
  expect(told).toContain('catch that inside the test, and assert on what came instead');
});

test('when no draft of the tests is right, nothing is built and the defects say why', async () => {
  const bad = {
    files: [
      { path: 'src/greet.js', content: 'assert' },
      { path: 'test/hollow.test.js', content: "import test from 'node:test'; test('x', () => {});" },
    ],
    tests: [
      { requirement: 'R-1', kind: 'change', file: 'test/hollow.test.js', name: 'x' },
      { requirement: 'R-1', kind: 'keep', file: 'test/other.test.js', name: 'x' },
    ],
  };
  const { report, requests, outputs } = await build({ answers: { 'acceptance-tests': [bad] } });
  expect(requests).toHaveLength(2);
  expect(report).toMatchObject({ tests: null, changes: [], measurements: [], failure: null });
  expect(report.defects.map(({ message }) => message)).toEqual([
    'src/greet.js exists already; tests go into new files.',
    'src/greet.js is not where the runner node-test has its tests.',
    'src/greet.js is a file of a task, not a test.',
    'The test test/hollow.test.js::x asserts nothing.',
    'The test test/other.test.js::x has kind keep, but R-1 has kind change.',
    'The test test/other.test.js::x is in a file that was not sent.',
    'R-2 has no test.',
  ]);
  expect(outputs).toBe('verdict=fail\n');
});

test('a draft whose tests lie outside of the folder that they run in goes back to the designer, who reads which it is', async () => {
  const commands = commandsOf({ directory: 'src' });
  const { report } = await build({ answers: { 'acceptance-tests': [DESIGN] } }, { commands });
  const messages = report.defects.map(({ message }) => message);
  expect([...messages, report.failure?.message]).toContain(
    `${FROZEN_FILE} is not in src, the folder in which tests are run (commands.directory).`,
  );
});

test('a draft that the rules of VERIFY would refuse goes back to the designer, who reads why', async () => {
  const always = 'assert.ok(true);';
  const content = FROZEN_TEXT.replace("  assert.equal(greet('C'), 'Hello C');", `  ${always}`);
  const hollow = { ...DESIGN, files: [{ path: FROZEN_FILE, content }] };
  const line = content.split('\n').findIndex((text) => text.includes(always)) + 1;
  const { report } = await build({ answers: { 'acceptance-tests': [hollow] } });
  expect(report.tests).toBeNull();
  expect(report.defects.map(({ message }) => message)).toContain(
    `${FROZEN_FILE}:${line} asserts what is true whatever the product does: \`assert.ok(true)\`. Assert on what the product gives.`,
  );
});

test.each([
  ['answers with 500', { status: { 'acceptance-tests': 500 } }, /HTTP 500/],
  ['answers garbage', { answers: { 'acceptance-tests': ['I would rather chat.'] } }, /acceptance-tests/],
])(
  'a model that %s is the failure of the report, with all three calls and nothing proposed',
  async (_, script, sentence) => {
    const { report, outputs } = await build({ answers: {}, ...script });
    expect(report.failure).toMatchObject({ cause: 'model', message: expect.stringMatching(sentence) });
    expect(report.calls).toHaveLength(3);
    expect(report).toMatchObject({ changes: [], measurements: [], tests: null });
    expect(outputs).toBe('verdict=fail\n');
  },
);

test('a model that fails in the middle keeps the frozen tests for the next entry', async () => {
  const { report } = await build({ status: { turn: 500 } });
  expect(report.failure).toMatchObject({ cause: 'model', message: expect.stringContaining('HTTP 500') });
  expect(report.tests?.tests).toEqual(DESIGN.tests);
  expect(report.calls.map(({ role }) => role)).toEqual(['test-designer', 'builder', 'builder', 'builder']);
});

test('a purse is never passed by more than one call, and what was finished until then is in the report', async () => {
  // Each scripted call costs 15 tokens of 1000 USD a million: 0.015 USD.
  const price = { prompt: 1000, completion: 1000 };
  const { report, requests } = await build({ turns: writing(GOOD) }, { purse: { money: { usd: 0.04, price } } });
  expect(report.failure).toEqual({
    cause: 'budget',
    message: 'Nothing is left in the budget to ask the model for the security-review.',
  });
  expect(report.calls).toHaveLength(3);
  expect(requests).toHaveLength(3);
  expect(report.tests?.tests).toEqual(DESIGN.tests);
  expect(await build({}, { on: await anotherCheckout(), purse: { money: { usd: 0, price } } })).toMatchObject({
    requests: [],
    report: { calls: [], failure: { cause: 'budget' } },
  });
});

test('tasks that came to their end survive a model that fails in a later one, and the next iteration works on the rest only', async () => {
  const files = ['src/one.js', 'src/two.js', 'src/greet.js'];
  const tasks = briefFor(place()).tasks.flatMap((task) =>
    files.map((file, index) => ({ ...task, id: `T-${index + 1}`, title: file, files: [file] })),
  );
  const submit = { name: 'submit', arguments: {} };
  const turns = [
    [write('src/one.js', '1\n')],
    [submit],
    [write('src/two.js', '2\n'), submit],
    [write('src/greet.js', 'half')],
  ];
  const { report, output } = await build({ turns, failsAfter: 4 }, { tasks });
  expect(report.failure).toMatchObject({ cause: 'model' });
  expect(report.unfinished).toEqual(['T-3']);
  expect(report.changes.map(({ path }) => path)).toEqual(['src/one.js', 'src/two.js', FROZEN_FILE]);
  expect(report.measurements).toEqual([]);
  expect(await readdir(join(output, 'transcripts'))).toEqual(['T-1-0.json', 'T-2-0.json', 'T-3-0.json']);

  const again = await anotherCheckout();
  const next = await build(
    { turns: [[write('src/greet.js', GOOD), submit]] },
    { on: again, tasks, previous: previousOf(report, again.commit), iteration: 2 },
  );
  expect(next.report.failure).toBeNull();
  expect(numbersOf(next.report).test_failures).toBe(0);
  expect(next.report.changes.map(({ path }) => path)).toEqual([...files, FROZEN_FILE].toSorted());
  expect(next.requests.filter(({ name }) => name === 'turn')).toHaveLength(1);
  expect(next.requests[0]?.messages[1]?.content).toContain('Task T-3');
});

test('a skill that the App did not send is the failure of the report, before anything is paid for', async () => {
  const { 'incremental-implementation': _, ...skills } = briefFor(place()).skills;
  const { report, requests } = await build({}, { skills });
  expect(report.failure).toEqual({
    cause: 'setup',
    message: 'The brief has no skill "incremental-implementation"; the App must send its text in `skills`.',
  });
  expect(requests).toEqual([]);
});

test('an install command takes what the set-up action kept, into the workspace and every working copy', async () => {
  const { root } = place();
  await mkdir(join(root, 'loopwright-setup', 'node_modules', 'tea'), { recursive: true });
  await writeFile(join(root, 'loopwright-setup', 'node_modules', 'tea', 'index.js'), "module.exports = 'green';\n");
  const commands = commandsOf({
    install: `cp -R "\${LOOPWRIGHT_SETUP:?}/." .`,
    test: `node -e "require('tea')" && node --test`,
  });
  const { report } = await build({ turns: writing(GOOD) }, { commands });
  expect(report.failure).toBeNull();
  expect(numbersOf(report)).toMatchObject({ test_failures: 0, suite_failures: 0 });
  expect(report.changes.map(({ path }) => path)).toEqual(['src/greet.js', FROZEN_FILE].toSorted());
});

test('an install command that takes from a set-up action is refused where none ran, before it copies anything', async () => {
  const { report } = await build({}, { commands: commandsOf({ install: `cp -R "\${LOOPWRIGHT_SETUP:?}/." .` }) });
  expect(report.failure).toMatchObject({ cause: 'setup', message: expect.stringContaining('LOOPWRIGHT_SETUP') });
});

test('an install command that fails is the failure of the report, and says what the sandbox lacks', async () => {
  const commands = commandsOf({ install: 'echo no registry; exit 1' });
  const { report } = await build({}, { commands });
  const why =
    report.sandbox === 'none'
      ? ''
      : ' (the sandbox has no network but to `commands.hosts`; README.md says how to install offline)';
  expect(report.failure?.cause).toBe('setup');
  expect(report.failure?.message).toContain(
    `The install command "echo no registry; exit 1" failed${why}: [exit code 1]\nno registry`,
  );
});
