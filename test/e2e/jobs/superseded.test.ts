/** An issue that contradicts an existing test: people approve that it goes, and nothing else of its file may. */
import { describe, expect, test } from 'vitest';
import { verify } from '../../../src/jobs/verify/verify.ts';
import type { Brief } from '../../../src/loop/brief.ts';
import {
  APPROVED,
  briefFor,
  type Checkout,
  checkout,
  GREEN,
  NODE_FILES,
  numbersOf,
  PRODUCT,
  runBuild,
  write,
} from '../../jobs/build-fixture.ts';
import { frozen, scene, taskFor } from '../../jobs/verify-fixture.ts';
import { proposedIn } from './job-on-repository.ts';

const FILE = 'test/greet.test.js';
const HEAD = `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from '../src/greet.js';
`;
const OLD = "\ntest('greets with Hello', () => assert.equal(greet('A'), 'Hello A'));\n";
const KEPT = "\ntest('greets by name', () => assert.ok(greet('A').endsWith(' A')));\n";
const FILES = { ...NODE_FILES, [FILE]: `${HEAD}${OLD}${KEPT}` };
const POLITE = PRODUCT.replace('Hello', 'Good day');
const NEW_FILE = 'test/polite.test.js';
const NEW_TEXT = `${HEAD}
test('greets politely', () => assert.equal(greet('A'), 'Good day A'));
`;
const DESIGN = {
  files: [{ path: NEW_FILE, content: NEW_TEXT }],
  tests: [{ requirement: 'R-1', kind: 'change' as const, file: NEW_FILE, name: 'greets politely' }],
};
const SUPERSEDED: Brief['supersededTests'][number] = {
  file: FILE,
  name: 'greets with Hello',
  requirement: 'R-1',
  why: 'It asserts "Hello"; R-1 asks for "Good day".',
};
const REQUIREMENTS: Brief['requirements'] = [{ id: 'R-1', kind: 'change', statement: 'greet("A") is "Good day A".' }];

async function onCheckout<Result>(run: (place: Checkout) => Promise<Result>): Promise<Result> {
  const place = await checkout(FILES);
  try {
    return await run(place);
  } finally {
    await place.remove();
  }
}

function building(turns: Parameters<typeof runBuild>[2]['turns'], supersededTests = [SUPERSEDED]) {
  const script = { answers: { 'acceptance-tests': [DESIGN], ...APPROVED }, ...(turns && { turns }) };
  return onCheckout((place) =>
    runBuild(place, briefFor(place, { requirements: REQUIREMENTS, supersededTests }), script),
  );
}

describe('BUILD', () => {
  test('takes exactly the approved test out, freezes the file without it, and is green', async () => {
    const { report, requests } = await building([[write('src/greet.js', POLITE)]]);
    expect(report.failure).toBeNull();
    expect(report.defects).toEqual([]);
    expect(numbersOf(report)).toEqual(GREEN);
    expect(proposedIn(report, FILE)).toBe(`${HEAD}${KEPT}`);
    expect(report.tests?.files.map(({ path }) => path)).toEqual([NEW_FILE, FILE]);
    for (const name of ['acceptance-tests', 'code-review'])
      expect(requests.find((request) => request.name === name)?.messages.at(-1)?.content).toContain(SUPERSEDED.why);
  });

  test('refuses the builder another change of that file, and puts it back', async () => {
    const { report, requests } = await building([
      [write('src/greet.js', POLITE), write(FILE, HEAD)],
      [{ name: 'run_command', arguments: { command: `echo hollow > ${FILE}` } }],
    ]);
    expect(requests.filter(({ name }) => name === 'turn')[1]?.messages.at(-1)?.content).toBe(
      `Refused to write ${FILE}: it is a frozen test, which nobody may change.`,
    );
    expect(proposedIn(report, FILE)).toBe(`${HEAD}${KEPT}`);
  });

  test('takes no test out that the runner does not report, and asks a person', async () => {
    const { report, requests } = await building([], [{ ...SUPERSEDED, name: 'greets with Hi' }]);
    expect(report.failure).toMatchObject({ cause: 'setup' });
    expect(report.failure?.message).toContain(`cannot be taken out of ${FILE}`);
    expect(requests).toEqual([]);
  });

  test('says which existing test contradicts the change, where the plan names none', async () => {
    const { report } = await building([[write('src/greet.js', POLITE)]], []);
    expect(numbersOf(report)).toMatchObject({ test_failures: 0, suite_failures: 1 });
    expect(report.defects.map(({ rule }) => rule)).toEqual(['contradicted-test', 'suite']);
    expect(report.defects[0]).toMatchObject({ id: `contradicted-test:${FILE}::greets with Hello`, file: FILE });
    expect(report.defects[0]?.suggestion).toContain('`supersededTests`');
  });
});

describe('VERIFY', () => {
  const tests = (files: Readonly<Record<string, string>>) => frozen({ [NEW_FILE]: NEW_TEXT, ...files }, DESIGN.tests);

  async function verified(candidate: string, supersededTests = [SUPERSEDED], product = POLITE) {
    const place = await scene(
      FILES,
      { 'src/greet.js': product, [NEW_FILE]: NEW_TEXT, [FILE]: candidate },
      {
        requirements: REQUIREMENTS,
        tasks: [taskFor(['R-1'], ['src/greet.js'])],
        supersededTests,
        tests: tests({ [FILE]: candidate }),
      },
    );
    try {
      const report = await verify(place.brief, place.environment);
      return { report, numbers: Object.fromEntries(report.measurements.map(({ name, value }) => [name, value])) };
    } finally {
      await place.remove();
    }
  }

  test('finds neither a regression nor tampering where only the approved test is gone, and tells of it', async () => {
    const { report, numbers } = await verified(`${HEAD}${KEPT}`);
    expect(numbers).toMatchObject({ regressions: 0, test_integrity_violations: 0 });
    expect(report.evidence).toMatchObject([{ requirement: 'R-1', proven: true }]);
    expect(report.supersededTests).toEqual([{ ...SUPERSEDED, head: 'fail' }]);
  });

  test('says so where a superseded test would have passed', async () => {
    const other = { ...SUPERSEDED, name: 'greets by name' };
    const { report } = await verified(HEAD, [SUPERSEDED, other]);
    expect(report.supersededTests?.map(({ head }) => head)).toEqual(['fail', 'pass']);
  });

  test.each([
    ['another test of the file is gone', HEAD],
    ['another test of the file is weaker', `${HEAD}\ntest('greets by name', () => assert.ok(greet('A')));\n`],
  ])('refuses it where %s', async (_case, candidate) => {
    const { report, numbers } = await verified(candidate);
    expect(numbers).toMatchObject({ test_integrity_violations: 1 });
    expect(report.defects.map(({ rule, file }) => `${rule} ${file}`)).toContain(`test-changed ${FILE}`);
  });

  test('counts a test that nobody approved to go as a regression', async () => {
    const { numbers } = await verified(`${HEAD}${KEPT}`, []);
    expect(numbers).toMatchObject({ regressions: 1, test_integrity_violations: 1 });
  });
});
