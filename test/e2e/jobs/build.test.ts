/** The BUILD job end to end: a real repository, real tests, and a scripted model over HTTP. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  APPROVED,
  command,
  DESIGN,
  FINDING,
  FROZEN_FILE,
  FROZEN_TEXT,
  GOOD,
  GREEN,
  numbersOf,
  WRONG,
  write,
} from '../../jobs/build-fixture.ts';
import { commandsOf } from '../../jobs/plain-brief.ts';
import { ANSWERS, anotherCheckout, jobOnRepository, previousOf, proposedIn, writing } from './job-on-repository.ts';
import { expectRawOutput } from './raw-output.ts';

const { build } = jobOnRepository();

test('a good build proposes code and frozen tests, every number is 0 with stored raw output, and each call says who asks', async () => {
  const { report, requests, output, outputs } = await build({ turns: writing(GOOD) });
  expect(report.failure).toBeNull();
  expect(report.defects).toEqual([]);
  expect(numbersOf(report)).toEqual(GREEN);
  expect(report.changes.map(({ path }) => path)).toEqual(['src/greet.js', FROZEN_FILE]);
  expect(proposedIn(report, 'src/greet.js')).toBe(GOOD);
  expect(report.tests?.tests).toEqual(DESIGN.tests);
  expect(outputs).toBe('verdict=pass\n');
  await expectRawOutput(output, report);
  expect(
    requests.map(({ name, headers }) => [name, headers.phase, headers.skill, headers.role, headers.attempt]),
  ).toEqual([
    ['acceptance-tests', 'BUILD', 'test-designer', 'test-designer', '1'],
    ['turn', 'BUILD', 'incremental-implementation', 'builder', '1'],
    ['turn', 'BUILD', 'incremental-implementation', 'builder', '1'],
    ['security-review', 'BUILD', 'security-and-hardening', 'security', '1'],
    ['code-review', 'BUILD', 'requesting-code-review', 'reviewer', '1'],
  ]);
  expect(report.calls).toHaveLength(5);
  expect(requests[1]?.messages[0]?.content).toBe(
    'The skill ground-rules.\n\n---\n\nThe skill incremental-implementation.\n\n---\n\nThe skill coding-principles.',
  );
  expect(requests[4]?.messages.at(-1)?.content).toContain('+export function greetAll(names)');
  expect(await readdir(join(output, 'transcripts'))).toEqual(['T-1-0.json']);
});

test('a wrong build is measured red, its defects name the test and the values, and the next iteration is told and builds on it', async () => {
  const first = await build({ turns: writing(WRONG) });
  expect(first.report.failure).toBeNull();
  expect(numbersOf(first.report)).toEqual({
    build_errors: 0,
    test_failures: 1,
    suite_failures: 1,
    security_findings: 0,
  });
  expect(first.outputs).toBe('verdict=fail\n');
  const defect = first.report.defects.find(({ rule }) => rule === 'test');
  expect(defect).toMatchObject({ requirement: 'R-1', file: FROZEN_FILE, severity: 'blocker' });
  expect(defect?.message).toContain('The test "greets all" has the outcome fail');
  expect(defect?.message).toContain('Hello A; Hello B');
  expect(first.report.defects.map(({ rule }) => rule)).toEqual(['test', 'suite']);
  expect(first.requests.map(({ name }) => name)).not.toContain('code-review');

  const again = await anotherCheckout();
  const { report, requests } = await build(
    {
      answers: APPROVED,
      turns: [[{ name: 'edit_file', arguments: { path: 'src/greet.js', old: "'; '", new: "', '" } }]],
    },
    { on: again, iteration: 2, previous: previousOf(first.report, again.commit), defects: first.report.defects },
  );
  expect(numbersOf(report)).toEqual(GREEN);
  expect(proposedIn(report, 'src/greet.js')).toBe(GOOD);
  expect(report.tests).toEqual(first.report.tests);
  expect(requests.map(({ name }) => name)).toEqual(['turn', 'turn', 'security-review', 'code-review']);
  expect(requests[0]?.headers.attempt).toBe('2');
  expect(requests[0]?.messages[1]?.content).toContain('The test "greets all" has the outcome fail');
});

test('the builder can change frozen tests neither by a tool nor by a command', async () => {
  const { report, requests, log } = await build({
    turns: [
      [write(FROZEN_FILE, 'hollow'), write('test/greet.test.js', 'hollow')],
      [command(`echo hollow > ${FROZEN_FILE}`)],
    ],
  });
  const results = requests.filter(({ name }) => name === 'turn')[1]?.messages.slice(-2);
  expect(results?.map(({ content }) => content)).toEqual([
    `Refused to write ${FROZEN_FILE}: it is a frozen test, which nobody may change.`,
    'Refused to write test/greet.test.js: it is an existing test; new tests go into new files.',
  ]);
  expect(proposedIn(report, FROZEN_FILE)).toBe(FROZEN_TEXT);
  expect(log).toContain(`the frozen test ${FROZEN_FILE} was changed or removed; it is put back`);
  expect(numbersOf(report).test_failures).toBeGreaterThan(0);
  expect(report.defects.filter(({ rule }) => rule === 'frozen-test')).toMatchObject([
    { file: FROZEN_FILE, severity: 'minor', message: expect.stringContaining('was changed or removed') },
  ]);
});

test('a green build tells that its builder asked to write a frozen test', async () => {
  const { report } = await build({ turns: [[write(FROZEN_FILE, 'hollow'), write('src/greet.js', GOOD)]] });
  expect(numbersOf(report).test_failures).toBe(0);
  expect(report.defects.filter(({ rule }) => rule === 'frozen-test')).toMatchObject([
    { file: FROZEN_FILE, message: expect.stringContaining('was refused') },
  ]);
});

test('the frozen tests are there before the builder begins, so its own runs have them, and nothing says that they were touched', async () => {
  const { report, requests, log } = await build({ turns: [[command('node --test')], [write('src/greet.js', GOOD)]] });
  expect(requests.filter(({ name }) => name === 'turn')[1]?.messages.at(-1)?.content).toContain('greets all');
  expect(log.join('\n')).not.toContain('was changed or removed');
  expect(report.changes.map(({ path }) => path)).toEqual(['src/greet.js', FROZEN_FILE]);
});

test('a builder that makes no usable tool call is named, with its task, as the first defect of the build that failed', async () => {
  const { report } = await build({ turns: ['Done.', 'Really.', 'Yes.'] });
  expect(report.defects[0]).toMatchObject({
    rule: 'builder',
    requirement: 'R-1',
    severity: 'major',
    message: 'The builder did not finish T-1 (Greet all): the model made no usable tool call in 3 turns in a row.',
    suggestion: 'See that the model supports tool calls, or name another model.',
  });
  expect(report.defects.map(({ rule }) => rule)).toEqual(['builder', 'test', 'suite']);
});

test('how a conversation ended is no defect of a build that is green', async () => {
  const { report } = await build({ turns: [[write('src/greet.js', GOOD)], 'Done.', 'Really.', 'Yes.'] });
  expect(report.defects).toEqual([]);
});

test('a change of .github is refused by the tool, and when a command makes it, it blocks the build and is never proposed', async () => {
  const { report, outputs, requests } = await build({
    turns: [
      [write('.github/workflows/ci.yml', 'on: push # stolen'), write('src/greet.js', GOOD)],
      [command('echo "# stolen" >> .github/workflows/ci.yml; ln -s /etc/passwd src/planted; echo x > notes.txt')],
    ],
  });
  expect(requests[2]?.messages.at(-2)?.content).toContain('Refused to write .github/workflows/ci.yml');
  expect(numbersOf(report)).toEqual({ build_errors: 2, test_failures: 0, suite_failures: 0, security_findings: 0 });
  expect(report.changes.map(({ path }) => path)).toEqual(['src/greet.js', FROZEN_FILE]);
  expect(report.defects.map(({ rule, file, severity }) => [rule, file, severity])).toEqual([
    ['path-policy', 'src/planted', 'blocker'],
    ['path-policy', '.github/workflows/ci.yml', 'blocker'],
    ['unplanned-file', 'notes.txt', 'minor'],
  ]);
  expect(outputs).toBe('verdict=fail\n');
});

test('a review that asks for a revision goes back to the builder, and the approval after it passes with one revision', async () => {
  const { report, requests } = await build({
    answers: {
      ...ANSWERS,
      'code-review': [
        { verdict: 'revise', findings: [FINDING] },
        { verdict: 'approve', findings: [] },
      ],
    },
    turns: [
      [write('src/greet.js', GOOD)],
      [{ name: 'submit', arguments: {} }],
      [write('src/greet.js', `${GOOD}// none\n`)],
    ],
  });
  expect(numbersOf(report)).toMatchObject({ test_failures: 0, review_revisions: 1 });
  expect(report.defects).toEqual([]);
  expect(proposedIn(report, 'src/greet.js')).toContain('// none');
  expect(requests[5]?.messages[1]?.content).toContain('An empty list is not handled.');
});

test('an approval with a required finding counts as a revision, and too many end as a number over the threshold', async () => {
  const { report, requests, outputs } = await build({
    answers: { ...ANSWERS, 'code-review': [{ verdict: 'approve', findings: [FINDING] }] },
    turns: writing(GOOD),
  });
  expect(numbersOf(report).review_revisions).toBe(3);
  expect(requests.filter(({ name }) => name === 'code-review')).toHaveLength(3);
  expect(report.defects).toMatchObject([{ rule: 'code-review', requirement: 'R-1', severity: 'major' }]);
  expect(report.failure).toBeNull();
  expect(outputs).toBe('verdict=fail\n');
});

test.each(['critical', 'required'])('a %s security finding sends the change back', async (severity) => {
  const finding = { ...FINDING, severity, category: 'tampering', message: 'Names are not escaped.' };
  const { report } = await build({
    answers: { ...ANSWERS, 'security-review': [{ findings: [finding] }, { findings: [] }] },
    turns: writing(GOOD),
  });
  expect(numbersOf(report).review_revisions).toBe(1);
});

test('a remark that sends nothing back is in the report of the build that passed', async () => {
  const remark = { ...FINDING, severity: 'nit', message: 'The name is short.' };
  const { report, outputs } = await build({
    answers: { ...ANSWERS, 'code-review': [{ verdict: 'approve', findings: [remark] }] },
    turns: writing(GOOD),
  });
  expect(report.defects).toMatchObject([{ rule: 'code-review', severity: 'minor', message: 'The name is short.' }]);
  expect(outputs).toBe('verdict=pass\n');
});

test('a served product must become healthy; one that does not start is a failure that says how it ended', async () => {
  const commands = commandsOf({ start: 'node src/server.js', health: '/health' });
  const script = { turns: writing(GOOD) };
  const good = await build(script, { surface: 'http', commands });
  expect(numbersOf(good.report)).toMatchObject({ health_failures: 0, test_failures: 0, review_revisions: 0 });
  const absent = { ...commands, start: 'node src/absent.js' };
  const bad = await build(script, { on: await anotherCheckout(), surface: 'http', commands: absent });
  expect(numbersOf(bad.report).health_failures).toBe(1);
  expect(bad.report.defects[0]?.message).toContain('the start command ended with exit code 1');
});

test('a build command that fails is one build error with its output as the defect', async () => {
  // The base compiles.
  const commands = commandsOf({ build: 'if grep -q greetAll src/greet.js; then echo cannot compile >&2; exit 2; fi' });
  const { report } = await build({ turns: writing(GOOD) }, { commands });
  expect(numbersOf(report).build_errors).toBe(1);
  expect(report.defects[0]?.message).toMatch(/The build command .* failed: \[exit code 2\]\ncannot compile/);
});

test('a build command that rewrites the frozen tests changes nothing about what is judged', async () => {
  const green = `import test from 'node:test'; test('greets all', () => {}); test('still greets one', () => {});`;
  const rewrite = `echo ${Buffer.from(green).toString('base64')} | base64 -d > ${FROZEN_FILE}`;
  const commands = commandsOf({ build: rewrite });
  const { report } = await build({ turns: writing(WRONG) }, { commands });
  expect(numbersOf(report)).toMatchObject({ build_errors: 0, test_failures: 1 });
});

test('a secret in an added line is a security finding', async () => {
  const secret = `${GOOD}const key = '${['AKIA', 'Z7QW3RTY5UIO8PAS'].join('')}';\n`;
  const { report } = await build({ turns: writing(secret) });
  expect(numbersOf(report).security_findings).toBeGreaterThan(0);
  expect(report.defects[0]).toMatchObject({ file: 'src/greet.js', line: 8, severity: 'blocker' });
});

describe('a base that is red', () => {
  const suite = 'echo "1 of 3 failed" >&2; exit 1';

  test.each([
    [
      'does not build',
      { build: 'echo cannot compile >&2; exit 2' },
      /the build command .* failed: \[exit code 2\]\ncannot compile/,
    ],
    ['has red tests', { test: suite }, /the test command .* failed: \[exit code 1\]\n1 of 3 failed/],
    [
      'is red in the folder of its tests',
      { test: 'echo "$(basename "$PWD")" >&2; exit 1', directory: 'test' },
      /failed: \[exit code 1\]\ntest/,
    ],
  ])('that %s is said, and no model is asked', async (_, commands, message) => {
    const { report, requests, outputs } = await build({ turns: writing(GOOD) }, { commands: commandsOf(commands) });
    expect(requests).toEqual([]);
    expect(report.failure).toMatchObject({ cause: 'setup', message: expect.stringMatching(message) });
    expect(report.failure?.message).toMatch(
      /^The base [0-9a-f]{7} is red before anything was built, so no model was asked:/,
    );
    expect(outputs).toBe('verdict=fail\n');
  });

  test('is not tried again by a later iteration, which stands on tests that were tried on it', async () => {
    const first = await build({ turns: writing(GOOD) });
    const previous = previousOf(first.report, first.report.candidate);
    const { report } = await build(
      { answers: APPROVED, turns: [] },
      { iteration: 2, previous, commands: commandsOf({ test: suite }) },
    );
    expect(report.failure).toBeNull();
    expect(numbersOf(report).suite_failures).toBe(1);
  });
});
