/** The VERIFY job on real repositories: one good candidate, and one for each way of being wrong. */
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { scanLines } from '../../../src/guard/scan.ts';
import { findingDefect } from '../../../src/guard/waivers.ts';
import { verify } from '../../../src/jobs/verify/verify.ts';
import { type Brief, type VerifyReport, verifyReport } from '../../../src/loop/brief.ts';
import { findingOf } from '../../../src/loop/waiver.ts';
import { commandsOf } from '../../jobs/plain-brief.ts';
import { type Change, frozen, scene, taskFor } from '../../jobs/verify-fixture.ts';
import { evidenceTable } from '../evidence-table.ts';
import { expectRawOutput, rawOutput } from './raw-output.ts';

const APP = `export function answer(path) {
  if (path === '/health') return { status: 200, text: 'ok' };
  if (path === '/hello') return { status: 200, text: 'hello' };
  return { status: 404, text: 'none' };
}
`;
const BASE = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/app.js': APP,
  'src/server.js': `import { createServer } from 'node:http';
import { answer } from './app.js';
createServer((request, response) => { const { status, text } = answer(request.url); response.writeHead(status).end(text); }).listen(process.env.PORT, '127.0.0.1');
`,
  'test/app.test.js': `import test from 'node:test'; import assert from 'node:assert/strict'; import { answer } from '../src/app.js';
test('unknown paths are 404', () => assert.equal(answer('/x').status, 404));
`,
};
const FROZEN_FILE = 'test/goodbye.test.js';
const FROZEN_TEXT = `import test from 'node:test';
import assert from 'node:assert/strict';
import { answer } from '../src/app.js';
test('says goodbye', () => assert.equal(answer('/goodbye').text, 'goodbye'));
test('still says hello', () => assert.equal(answer('/hello').text, 'hello'));
`;
const GOODBYE = `  if (path === '/goodbye') return { status: 200, text: 'goodbye' };\n`;
const APP_AFTER = APP.replace("  if (path === '/hello')", `${GOODBYE}  if (path === '/hello')`);
const GOOD: Change = { 'src/app.js': APP_AFTER, [FROZEN_FILE]: FROZEN_TEXT };
const TESTS = frozen({ [FROZEN_FILE]: FROZEN_TEXT }, [
  { requirement: 'R-1', kind: 'change', file: FROZEN_FILE, name: 'says goodbye' },
  { requirement: 'R-2', kind: 'keep', file: FROZEN_FILE, name: 'still says hello' },
]);
const metric = (value: number) => ({ name: 'p95_ms', operator: '<=' as const, value, unit: 'ms' });
const requirements = (p95: number) => [
  { id: 'R-1', kind: 'change' as const, statement: 'GET /goodbye says goodbye.', criteria: ['goodbye'], metric: null },
  { id: 'R-2', kind: 'keep' as const, statement: 'GET /hello stays the same.', criteria: ['hello'], metric: null },
  { id: 'R-3', kind: 'metric' as const, statement: 'It answers fast enough.', criteria: ['fast'], metric: metric(p95) },
];
const get = (path: string, contains: string) => ({
  type: 'http' as const,
  method: 'GET' as const,
  path,
  headers: [],
  body: null,
  expected: { status: 200, contains: [contains], json: [] },
});

const SERVED = commandsOf({ test: 'npm test', start: 'node src/server.js', health: '/health' });

async function judge(change: Change, overrides: Partial<Brief> = {}, { p95 = 400, flakinessRuns = 2, base = {} } = {}) {
  const { brief, environment, remove } = await scene({ ...BASE, ...base }, change, {
    surface: 'http',
    commands: SERVED,
    requirements: requirements(p95).map(({ id, kind, statement }) => ({ id, kind, statement })),
    documents: [{ path: '.loopwright/7/requirements.json', text: JSON.stringify(requirements(p95)) }],
    tasks: [taskFor(['R-1', 'R-2'], ['src/app.js'])],
    acceptance: [
      { id: 'A-1', requirement: 'R-1', kind: 'change', title: 'Goodbye', steps: [get('/goodbye', 'goodbye')] },
      { id: 'A-2', requirement: 'R-2', kind: 'keep', title: 'Hello', steps: [get('/hello', 'hello')] },
      { id: 'A-3', requirement: 'R-3', kind: 'metric', title: 'Fast', steps: [] },
    ],
    tests: TESTS,
    ...overrides,
  });
  onTestFinished(remove);
  const report = verifyReport.parse(await verify(brief, { ...environment, flakinessRuns }));
  return { report, output: environment.output };
}

const numbersOf = ({ measurements }: VerifyReport) =>
  Object.fromEntries(measurements.filter(({ name }) => name !== 'p95_ms').map(({ name, value }) => [name, value]));
const rulesOf = ({ defects }: VerifyReport) => [...new Set(defects.map(({ rule }) => rule))].toSorted();
const GREEN = {
  uat_pass_rate: 1,
  failed_requirements: 0,
  evidence_gaps: 0,
  mutation_score: 6 / 7,
  regressions: 0,
  test_integrity_violations: 0,
  security_findings: 0,
  flakiness: 0,
};

/** Says goodbye only where this holds. */
const onlyWhere = (holds: string): Change => ({
  ...GOOD,
  'src/app.js': `import { readFileSync } from 'node:fs';\nconst text = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };\n${APP_AFTER.replace(
    "text: 'goodbye'",
    `text: ${holds} ? 'goodbye' : 'nothing'`,
  )}`,
  '.loopwright/7/acceptance.json': '{ "contains": "goodbye" }',
});

it.each([
  ['where its tests lie', `text('${FROZEN_FILE}').includes('goodbye')`],
  ["where the loop's documents lie", "text('.loopwright/7/acceptance.json').includes('goodbye')"],
  ['where a variable says CI', 'process.env.CI'],
  ['in the folders where tests run', '/copy-|head-/.test(process.cwd())'],
  ['where Python may write no bytecode', 'process.env.PYTHONDONTWRITEBYTECODE'],
])('finds out a product that is right only %s', async (_, holds) => {
  const { report } = await judge(onlyWhere(holds));
  expect(report.acceptance.map(({ id, passed }) => [id, passed])).toContainEqual(['A-1', false]);
});

it('finds nothing wrong with a good candidate, and every number has its raw output', async () => {
  const { report, output } = await judge(GOOD);
  expect(report.defects).toEqual([]);
  expect(numbersOf(report)).toEqual(GREEN);
  expect(report.measurements.find(({ name }) => name === 'p95_ms')?.value).toBeGreaterThan(0);
  expect(evidenceTable(report.evidence)).toEqual([
    'R-1 | change | fail | pass | fail | fail | proven',
    'R-2 | keep | pass | pass | not-run | fail | proven',
    'R-3 | metric | not-run | not-run | not-run | not-run | proven',
  ]);
  expect(report.acceptance.map(({ id, passed }) => [id, passed])).toEqual([
    ['A-1', true],
    ['A-2', true],
    ['A-3', true],
  ]);
  expect(report.measurements.find(({ name }) => name === 'uat_pass_rate')?.source).toBe(
    '2 acceptance rows performed on the built product, 1 judged by a number',
  );
  await expectRawOutput(output, report);
});

it('sees a wrong answer in acceptance, evidence and its messages', async () => {
  const { report } = await judge({ ...GOOD, 'src/app.js': APP_AFTER.replace("'goodbye' }", "'farewell' }") });
  const { mutation_score: _, ...others } = GREEN;
  expect(numbersOf(report)).toEqual({ ...others, uat_pass_rate: 2 / 3, failed_requirements: 1, evidence_gaps: 1 });
  expect(report.defects).toMatchObject([
    {
      rule: 'acceptance',
      requirement: 'R-1',
      message: expect.stringContaining('expected "goodbye" in the body, actual farewell'),
    },
    {
      rule: 'evidence',
      requirement: 'R-1',
      file: FROZEN_FILE,
      message: expect.stringMatching(/\+ 'farewell'\n- 'goodbye'/),
    },
  ]);
});

it('sees a regression that the changed old test hides', async () => {
  const { report } = await judge({
    ...GOOD,
    'src/app.js': APP_AFTER.replace('status: 404', 'status: 200'),
    'test/app.test.js': BASE['test/app.test.js'].replace('404)', '200)'),
  });
  expect(numbersOf(report)).toMatchObject({ regressions: 1, test_integrity_violations: 1 });
  const found = report.defects.find(({ rule }) => rule === 'regression');
  expect(found).toMatchObject({ file: 'test/app.test.js', message: expect.stringContaining('200 !== 404') });
});

it('sees a regression although the product ends each process of a test file with 0', async () => {
  const exit = "if (String(process.argv[1]).endsWith('.test.js')) process.exit(0);\n";
  const { report } = await judge({
    ...GOOD,
    'src/app.js': `${exit}${APP_AFTER.replace('status: 404', 'status: 200')}`,
  });
  expect(numbersOf(report)).toMatchObject({ regressions: 1 });
  expect(report.defects.find(({ rule }) => rule === 'regression')).toMatchObject({
    file: 'test/app.test.js',
    message: expect.stringContaining(
      'unknown paths are 404 passes no longer: test/app.test.js ended before its tests were finished',
    ),
  });
});

it('sees a regression although the product ends whatever runs it', async () => {
  const { report } = await judge({ ...GOOD, 'src/app.js': `${APP_AFTER}process.exit(0);\n` });
  expect(numbersOf(report)).toMatchObject({ regressions: 1 });
  expect(report.defects.find(({ rule }) => rule === 'regression')).toMatchObject({
    message: expect.stringContaining('test/app.test.js ended before its tests were finished'),
  });
});

it('does not take tests of the base that nobody could ask for tests that pass', async () => {
  const small = "import test from 'node:test';\ntest('nothing', () => undefined);\n";
  const base = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`test/small-${index}.test.js`, small]));
  const { brief, remove } = await scene(BASE, GOOD);
  await remove();
  const { report } = await judge(GOOD, { limits: { ...brief.limits, suiteTimeoutMs: 1000 } }, { base });
  expect(Object.keys(numbersOf(report))).not.toContain('regressions');
  expect(report.defects.find(({ rule }) => rule === 'regression')?.message).toMatch(
    /^Whether these tests pass on the base is not known, .*: test\/app\.test\.js \(the base's tests take longer than 1 s\)/,
  );
});

it('sees a secret, a frozen test that was changed and a test that is left out', async () => {
  const { report } = await judge({
    'src/app.js': `${APP_AFTER}export const key = 'AKIA${'ABCD1234'.repeat(2)}';\n`,
    [FROZEN_FILE]: FROZEN_TEXT.replace("test('says", "test.skip('says"),
  });
  expect(numbersOf(report)).toEqual({
    ...{ ...GREEN, mutation_score: 6 / 9, security_findings: 1, test_integrity_violations: 2 },
  });
  expect(rulesOf(report)).toEqual(['frozen-test', 'secret-aws-key', 'test-left-out']);
  expect(report.defects.find(({ rule }) => rule === 'secret-aws-key')).toMatchObject({ file: 'src/app.js', line: 7 });
});

it('sees tests of the builder that show nothing, and a linter that is kept quiet', async () => {
  const { report } = await judge({
    ...GOOD,
    'src/app.js': `${APP_AFTER}// eslint-disable-next-line no-undef\nexport const more = () => 1;\n`,
    'test/more.test.js':
      "import test from 'node:test';\ntest('nothing', () => {});\ntest('all is well', () => { try { throw 1; } catch {} });\n",
  });
  expect(rulesOf(report)).toEqual(['check-silenced', 'test-empty']);
  expect(report.defects.find(({ rule }) => rule === 'test-empty')?.message).toMatch(
    /^test\/more\.test\.js:2 declares a test that asks nothing of the product: `test\('nothing', \(\) => \{\}\)`\. .*`\/waive W-/,
  );
});

it('does not count what a person lifted, and says who did it and why', async () => {
  const etag = "export const etag = (body) => createHash('sha1').update(body);";
  const suite = `${BASE['test/app.test.js']}// by hand\n`;
  const idOf = (text: string) =>
    `100644 ${createHash('sha1')
      .update(`blob ${Buffer.byteLength(text)}\0${text}`)
      .digest('hex')}`;
  const found = [
    ...scanLines([{ file: 'src/app.js', line: 1, text: etag }]),
    findingDefect({
      rule: 'test-changed',
      file: 'test/app.test.js',
      message: 'changed',
      bound: [idOf(BASE['test/app.test.js']), idOf(suite)],
    }),
  ];
  const waivers = found.map((one) => ({ finding: findingOf(one) ?? '', by: 'maria', at: 'today', reason: 'Mine.' }));
  const { report, output } = await judge(
    { ...GOOD, 'src/app.js': `${APP_AFTER}${etag}\n`, 'test/app.test.js': suite },
    { waivers },
  );
  expect(report.defects).toEqual([]);
  expect(numbersOf(report)).toEqual({ ...GREEN, mutation_score: 6 / 9 });
  const sources = report.measurements.map(({ source }) => source).filter((source) => source.includes('waived'));
  expect(sources).toEqual([
    expect.stringMatching(/; 1 waived by @maria: test-changed in test\/app\.test\.js, "Mine\."$/),
    expect.stringMatching(/; 1 waived by @maria: weak-hash in src\/app\.js:\d+, "Mine\."$/),
  ]);
  const { raw } = report.measurements.find(({ name }) => name === 'security_findings') ?? { raw: '' };
  expect(JSON.parse((await rawOutput(output, raw)).toString())).toMatchObject({
    findings: [],
    waived: [{ waiver: { by: 'maria' }, defect: { rule: 'weak-hash' } }],
  });
});

it('counts a requirement whose number is over its own limit, although the gate of the phase is met', async () => {
  const { report } = await judge(GOOD, {}, { p95: 0.000001 });
  expect(numbersOf(report)).toEqual({ ...GREEN, uat_pass_rate: 2 / 3, failed_requirements: 1, evidence_gaps: 1 });
  expect(report.evidence.at(-1)).toMatchObject({
    proven: false,
    reason: expect.stringMatching(/measured .* wanted p95_ms <= 0.000001 ms/),
  });
});

it('leaves out what it cannot measure and says why', async () => {
  const { report } = await judge(GOOD, { commands: { ...SERVED, start: 'exit 1' }, tests: null });
  expect(Object.keys(numbersOf(report)).toSorted()).toEqual([
    'evidence_gaps',
    'failed_requirements',
    'regressions',
    'security_findings',
    'test_integrity_violations',
    'uat_pass_rate',
  ]);
  expect(numbersOf(report)).toMatchObject({ uat_pass_rate: 0, evidence_gaps: 3 });
  expect(report.measurements.map(({ name }) => name)).not.toContain('p95_ms');
  expect(rulesOf(report)).toEqual(['acceptance', 'evidence', 'flakiness', 'latency']);
});

it('sees tests that are sometimes red', async () => {
  // Eight tests agree with themselves in all five runs once in 4 thousand million times.
  const names = Array.from({ length: 8 }, (_, index) => `random ${index}`);
  const lines = names.map((name) => `test('${name}', () => assert.ok(Math.random() < 0.5));\n`);
  const text = `import test from 'node:test';\nimport assert from 'node:assert/strict';\n${lines.join('')}`;
  const own = names.map((name) => ({ requirement: 'R-1', kind: 'change' as const, file: FROZEN_FILE, name }));
  const judged = { ...GOOD, [FROZEN_FILE]: text };
  const { report } = await judge(judged, { tests: frozen({ [FROZEN_FILE]: text }, own) }, { flakinessRuns: 5 });
  expect(numbersOf(report).flakiness).toBeGreaterThan(0);
  expect(report.defects.find(({ rule }) => rule === 'flakiness')?.message).toMatch(
    /is not stable: .*(pass.*fail|fail.*pass)/,
  );
});

it('refuses to judge a candidate that does not build', async () => {
  const commands = commandsOf({ build: 'exit 4', test: 'npm test' });
  await expect(judge(GOOD, { commands })).rejects.toThrow(/Nothing can be judged: "exit 4" failed on the base commit/);
});
