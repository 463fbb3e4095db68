/** BUILD after a VERIFY whose faults the frozen tests did not notice: the test designer adds tests, and the builder is asked only where these are red. */
import { describe, expect, test } from 'vitest';
import type { Brief, BuildReport } from '../../../src/loop/brief.ts';
import { defect, UNNOTICED } from '../../../src/loop/defect.ts';
import {
  APPROVED,
  type Checkout,
  DESIGN,
  FROZEN_FILE,
  FROZEN_TEXT,
  GOOD,
  GREEN,
  numbersOf,
} from '../../jobs/build-fixture.ts';
import { anotherCheckout, jobOnRepository, previousOf, proposedIn, writing } from './job-on-repository.ts';

const { build } = jobOnRepository();

const UNNOTICED_FAULT = defect({
  rule: UNNOTICED,
  about: 'R-1:src/greet.js:6',
  requirement: 'R-1',
  file: 'src/greet.js',
  line: 6,
  message: 'The tests of R-1 notice 1 of 3 faults in its change. All stay green with this one: src/greet.js:6 …',
});
const FILE = 'test/greet-none.test.js';
const answerOf = (wanted: string) => ({
  files: [
    {
      path: FILE,
      content: FROZEN_TEXT.slice(0, FROZEN_TEXT.indexOf("test('still"))
        .replace('greets all', 'greets nobody')
        .replace("greetAll(['A', 'B']), 'Hello A, Hello B'", `greetAll([]), ${wanted}`),
    },
  ],
  tests: [{ requirement: 'R-1', kind: 'change', file: FILE, name: 'greets nobody' }],
});

/** The iteration after one that was judged and failed. */
async function next(
  first: BuildReport,
  answers: readonly unknown[],
  turns: ReturnType<typeof writing> = [],
  brief: Partial<Brief> = {},
) {
  const on: Checkout = await anotherCheckout();
  const previous = previousOf(first, on.commit, true);
  return build(
    { answers: { 'acceptance-tests': answers, ...APPROVED }, turns },
    { on, iteration: 2, previous, defects: [UNNOTICED_FAULT], ...brief },
  );
}

const namesOf = (requests: readonly { readonly name: string }[]) => requests.map(({ name }) => name);

describe('faults that no frozen test noticed', () => {
  test('are shown to the test designer, whose tests come beside the frozen ones; no builder is asked where they are green', async () => {
    const { report: first } = await build({ turns: writing(GOOD) });
    const { report, requests } = await next(first, [answerOf("''")]);
    expect(namesOf(requests)).toEqual(['acceptance-tests', 'security-review', 'code-review']);
    const asked = requests[0]?.messages[1]?.content ?? '';
    expect(asked).toContain('All stay green with this one: src/greet.js:6');
    expect(asked).toContain(FROZEN_TEXT.trim());
    expect(report.tests?.files.map(({ path }) => path)).toEqual([FROZEN_FILE, FILE]);
    expect(report.tests?.files[0]).toEqual(first.tests?.files[0]);
    expect(report.tests?.tests.map(({ name }) => name)).toEqual(['greets all', 'still greets one', 'greets nobody']);
    expect(report.tests?.added).toEqual([{ test: `${FILE}::greets nobody`, because: UNNOTICED_FAULT.message }]);
    expect(proposedIn(report, FILE)).toContain('greets nobody');
    expect(proposedIn(report, 'src/greet.js')).toBe(GOOD);
    expect(numbersOf(report)).toEqual(GREEN);
    expect(report.unchanged).toBeUndefined();
  });

  test('show a mistake of the product: the builder is asked with what the new test says', async () => {
    const wrong = GOOD.replace("join(', ')", "join(', ') || 'Nobody'");
    const { report: first } = await build({ turns: writing(wrong) });
    const { report, requests } = await next(first, [answerOf("''")], writing(GOOD));
    expect(namesOf(requests)).toEqual(['acceptance-tests', 'turn', 'turn', 'security-review', 'code-review']);
    expect(requests[1]?.messages[1]?.content).toContain('greets nobody');
    expect(proposedIn(report, 'src/greet.js')).toBe(GOOD);
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test.each([
    [
      'is a frozen one under another text',
      { ...DESIGN, files: [{ path: FROZEN_FILE, content: FROZEN_TEXT.replace("'Hello A, Hello B'", 'undefined') }] },
      /exists already; tests go into new files/,
    ],
    [
      'passes on the base',
      {
        ...answerOf("''"),
        files: [
          {
            path: FILE,
            content:
              "import assert from 'node:assert/strict';\nimport test from 'node:test';\ntest('greets nobody', () => assert.equal([].length, 0));\n",
          },
        ],
      },
      /must fail there by assertion/,
    ],
  ])('stay open where the draft %s, and nothing that was frozen is other', async (_, draft, problem) => {
    const { report: first } = await build({ turns: writing(GOOD) });
    const { report, requests } = await next(first, [draft]);
    expect(namesOf(requests)).toEqual(['acceptance-tests', 'acceptance-tests']);
    expect(report.tests).toEqual(first.tests);
    expect(report.unchanged).toBe(true);
    expect(report.defects.map(({ rule }) => rule)).toEqual(['test-design', UNNOTICED]);
    expect(report.defects[0]?.message).toMatch(problem);
  });
});
