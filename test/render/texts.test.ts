import { describe, expect, it } from 'vitest';
import { attemptDefects } from '../../src/jobs/build/attempts.ts';
import { COMMANDS } from '../../src/loop/people/commands.ts';
import { pullBody } from '../../src/render/board.ts';
import { checksOf } from '../../src/render/checks.ts';
import { evidenceDocument, evidenceLegend, evidenceTable } from '../../src/render/evidence.ts';
import { helpText } from '../../src/render/help.ts';
import { problemReport } from '../../src/render/problem.ts';
import { questionsComment } from '../../src/render/questions.ts';
import { statusText } from '../../src/render/status.ts';
import { costOf } from '../../src/render/words.ts';
import { interview } from '../drafting/authored.ts';
import { buildingLoop, MODEL, RED, startedLoop, stoppedLoop, VERIFIED } from './loops.ts';

const QUESTIONS = [
  ...interview.questions.map((question) => ({ ...question, number: 1, assumed: false })),
  {
    question: 'How many items may a page hold?',
    why: 'It bounds the answer.',
    options: [],
    safeDefault: null,
    number: 2,
    assumed: false,
  },
];

describe('the questions', () => {
  it('can be answered from the comment alone', () => {
    expect(questionsComment(startedLoop({ questions: QUESTIONS }))).toMatchInlineSnapshot(`
      "@alice, 2 questions decide what is built.

      **1. What does GET /items return when no item matches?**
      It decides between an empty list and an error.
      - a: 200 with an empty list **(default)**
      - b: 404 with an error

      **2. How many items may a page hold?**
      It bounds the answer.
      There is no safe default; the loop waits for an answer.

      Answer like this: \`/answer 1a 2: your words\`, or \`/auto\` to take the defaults once question 2 is answered."
    `);
  });

  it('do not promise /auto for a question without a safe default', () => {
    expect(questionsComment(startedLoop({ questions: QUESTIONS }))).toContain('once question 2 is answered');
    expect(questionsComment(startedLoop({ questions: QUESTIONS.slice(0, 1) }))).toContain(
      '`/auto` to take every default',
    );
  });
});

describe('the problem report', () => {
  it('says what was tried, what is wrong and what to do', () => {
    expect(problemReport(stoppedLoop())).toMatchInlineSnapshot(`
      "**Stopped, needs a person.** The approved plan did not lead to a verified candidate in 3 iterations. BUILD: test_failures 1 (needs <= 0).

      ### What was found

      - blocker, frozen-test (R-1, \`src/items.js:4\`): open items only: expected 1 item, got 2. Compare the state before listing.

      ### What was tried

      | entry | phase | try | outcome | why |
      |---|---|---|---|---|
      | 1 | DISCOVER | 1 | passed |  |
      | 2 | DEFINE | 1 | passed |  |
      | 3 | PLAN | 1 | passed |  |
      | 4 | ARCH_REVIEW | 1 | passed | Approved by @alice. |
      | 5 | BUILD | 1 | failed | BUILD: test_failures 1 (needs <= 0). |
      | 6 | BUILD | 2 | failed | BUILD: test_failures 1 (needs <= 0). |

      ### What to do

      - \`/context <text>\` tells the next try something it did not know.
      - \`/rerun\` grants one more iteration of the approved plan.
      - \`/rerun PLAN\` makes a new plan, which you review again.

      So far: 7 model calls, 41,200 tokens, 0.31 of 3 USD. Packet: \`0123456789ab\`. Nothing was merged."
    `);
  });

  it('names the failing test and shows the first useful lines of its output, not a stack', () => {
    const output = [
      "The repository's own tests (npm test) are red: [exit code 1]",
      '✔ lists items (1.2ms)',
      '✖ open items only (0.9ms)',
      'ℹ tests 2',
      '',
      '✖ failing tests:',
      '',
      'test at test/items.test.js:7:1',
      '✖ open items only (0.9ms)',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '',
      '  2 !== 1',
      '',
      '      at TestContext.<anonymous> (file:test/items.test.js:9:10)',
    ].join('\n');
    const suite = {
      ...RED,
      requirement: null,
      file: null,
      line: null,
      rule: 'suite',
      message: output,
      suggestion: null,
    };
    const report = problemReport({ ...stoppedLoop(), feedback: [suite] });
    expect(report).toContain('say `/rerun PLAN`: the new plan names it as superseded, and you approve that');
    expect(
      report.slice(report.indexOf('### What was found'), report.indexOf('### What was tried')),
    ).toMatchInlineSnapshot(`
      "### What was found

      - blocker, suite: The repository's own tests (npm test) are red: [exit code 1]
        \`\`\`text
        ✖ failing tests:
        test at test/items.test.js:7:1
        ✖ open items only (0.9ms)
          AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
          2 !== 1
        \`\`\`

      "
    `);
  });

  it('shows where a file is broken, not only how', () => {
    const message = [
      'The product does not become healthy with "node src/server.js": GET /health: the start command ended with exit code 1',
      '[exit code 0]',
      'src/server.js:4',
      "import { matching } from './search.js';",
      '         ^^^^^^^^',
      '',
      "SyntaxError: Identifier 'matching' has already been declared",
      '    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)',
      '',
      'Node.js v24.21.0',
    ].join('\n');
    const report = problemReport({ ...stoppedLoop(), feedback: [{ ...RED, rule: 'health', message }] });
    expect(report).toContain(
      "  ```text\n  src/server.js:4\n  import { matching } from './search.js';\n           ^^^^^^^^\n  SyntaxError: Identifier 'matching' has already been declared\n  ```",
    );
  });

  it('names the budget first when that is what ran out', () => {
    const broke = { ...stoppedLoop(), spent: { ...stoppedLoop().spent, usd: 3.01 } };
    expect(problemReport(broke)).toContain('### What to do\n\n- `/budget +<usd>` raises the budget; do this first.');
  });
});

describe('the cost', () => {
  it.each([
    [0, '0 model calls'],
    [1, '1 model call'],
    [1200, '1,200 model calls'],
  ])('counts %i calls in words that fit', (calls, words) => {
    const loop = startedLoop();
    expect(costOf({ ...loop, spent: { ...loop.spent, calls } })).toMatch(new RegExp(`^${words}, `));
  });
});

describe('the short answers', () => {
  it('say where a loop is', () => {
    expect(statusText(buildingLoop())).toMatchInlineSnapshot(`
      "acme/shop#12 is in BUILD (review round 1 of 5, iteration 2 of 3). Building in GitHub Actions: tests first, then the code.

      Gates: needs \`build_errors\` ≤ 0, \`health_failures\` ≤ 0, \`test_failures\` ≤ 0, \`suite_failures\` ≤ 0, \`security_findings\` ≤ 0, \`review_revisions\` ≤ 2.

      So far: 7 model calls, 41,200 tokens, 0.31 of 3 USD."
    `);
  });

  it('list every command of the table', () => {
    for (const { usage } of Object.values(COMMANDS)) expect(helpText()).toContain(usage.replaceAll('|', '\\|'));
  });
});

describe('the evidence', () => {
  it('is one row per requirement', () => {
    expect(evidenceDocument(VERIFIED)).toMatchInlineSnapshot(`
      "# Evidence

      ## How it was judged

      The code ran in a sandbox (bubblewrap). Candidate \`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\` was judged against base \`bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\`.

      ## Requirements

      | id | kind | proved by | base | head | counter-check | verdict |
      |---|---|---|---|---|---|---|
      | R-1 | change | \`test/a.test.js::open only\` | fail | pass | reverted: fail | proven |
      | R-2 | keep | \`test/a.test.js::all\` | pass | pass | mutated: pass | **not proven**: no mutation turned it red |
      | R-3 | metric | \`p95_ms\` |  | 12.5 |  | proven |

      The test of a \`change\` must fail on the base, pass on the head, and fail again with the change reverted. No fault was tried in the change of R-1. The test of a \`keep\` must pass on the base and on the head, and fail with a fault made in the product. A \`metric\` is measured on the head and held to its own number; the gate of that name has the operator's, which every loop must keep.

      ## Acceptance

      - ✓ A-1 (R-1): as expected

      ## Measurements

      | name | value | unit | read from | raw output |
      |---|---|---|---|---|
      | uat_pass_rate | 1 | ratio | verify | \`dddddddddddd\` |"
    `);
  });

  it('names the tests that were replaced with the reason, and those that nothing contradicted', () => {
    const old = { file: 'test/a.test.js', name: 'by name', requirement: 'R-1', why: 'R-1 asks for the date.' };
    const supersededTests = [
      { ...old, head: 'fail' as const },
      { ...old, name: 'first', head: 'pass' as const },
    ];
    expect(evidenceDocument({ ...VERIFIED, supersededTests })).toContain(
      [
        '| `test/a.test.js` | `by name` | R-1 | R-1 asks for the date. |',
        '| `test/a.test.js` | `first` | R-1 | R-1 asks for the date. |',
        '',
        '**Look at `first`**: put back, it passes with the change too, so nothing contradicts it.',
      ].join('\n'),
    );
  });

  it('names the frozen tests that the builder tried to change', () => {
    const [remark] = attemptDefects({ attempts: new Map([['test/a.test.js', 'refused']]) });
    expect(evidenceDocument(VERIFIED, remark === undefined ? [] : [remark])).toContain(
      '- `test/a.test.js`: The builder asked to write this frozen test, and was refused.',
    );
  });

  it('says what of the sandbox the machine did not have', () => {
    const missingWalls = ['No control group limits memory here.'];
    expect(evidenceDocument({ ...VERIFIED, sandbox: 'bubblewrap', missingWalls })).toContain(
      'The code ran in a sandbox (bubblewrap). No control group limits memory here. Candidate',
    );
  });

  it('says of each kind what its rows tried, and names the rows where less was tried', () => {
    const [change, keep, metric] = VERIFIED.evidence;
    if (change === undefined || keep === undefined || metric === undefined) throw new Error('three rows');
    const legend = (...evidence: (typeof VERIFIED)['evidence']) => evidenceLegend({ evidence });
    expect(legend(change)).toBe(
      'The test of a `change` must fail on the base, pass on the head, and fail again with the change reverted. No fault was tried in the change of R-1.',
    );
    const faulty = { ...change, requirement: 'R-4', mutated: 'fail' as const };
    expect(legend(faulty)).toBe(
      'The test of a `change` must fail on the base, pass on the head, and fail again with the change reverted and with a fault made in it.',
    );
    expect(legend(change, faulty)).toBe(
      'The test of a `change` must fail on the base, pass on the head, and fail again with the change reverted and with a fault made in it. No fault was tried in the change of R-1.',
    );
    expect(legend(keep, metric)).toBe(
      "The test of a `keep` must pass on the base and on the head, and fail with a fault made in the product. A `metric` is measured on the head and held to its own number; the gate of that name has the operator's, which every loop must keep.",
    );
    expect(legend({ ...keep, mutated: 'not-run' })).toBe(
      'The test of a `keep` must pass on the base and on the head. No fault was tried in the product for R-2.',
    );
    expect(legend()).toBe('');
  });

  it('stands with what it means, in evidence.md, on the pull request and on the check', () => {
    const legend = evidenceLegend(VERIFIED);
    const facts = { ...MODEL, headSha: 'a'.repeat(40), report: VERIFIED };
    expect(evidenceDocument(VERIFIED)).toContain(legend);
    expect(pullBody(buildingLoop(), MODEL, { report: VERIFIED })).toContain(legend);
    expect(
      checksOf({ ...buildingLoop(), phase: 'SHIP' }, facts)
        .map(({ summary }) => summary)
        .join(),
    ).toContain(legend);
  });

  it('shows a test whose name has a backtick as it is called', () => {
    const evidence = VERIFIED.evidence.slice(0, 1).map((row) => ({ ...row, test: 'a.js::says `x` <b>' }));
    expect(evidenceTable({ ...VERIFIED, evidence })).toContain('| `` a.js::says `x` <b> `` |');
  });

  it('shows each step of an acceptance row on a line of its own', () => {
    const detail = 'step 1 GET /items: as expected\nstep 2 GET /items?state=open: as expected';
    const acceptance = [{ id: 'A-1', requirement: 'R-1', passed: true, detail }];
    expect(evidenceDocument({ ...VERIFIED, acceptance })).toContain(
      '- ✓ A-1 (R-1):\n  - step 1 GET /items: as expected\n  - step 2 GET /items?state=open: as expected\n',
    );
  });

  it('shows what a metric had to reach beside what it reached', () => {
    const evidence = VERIFIED.evidence.map((row) =>
      row.kind === 'metric' ? { ...row, reason: 'measured 12.5, wanted p95_ms <= 100 ms' } : row,
    );
    expect(evidenceDocument({ ...VERIFIED, evidence })).toContain(
      '| R-3 | metric | `p95_ms` |  | 12.5 |  | proven: measured 12.5, wanted p95_ms ≤ 100 ms |',
    );
  });

  it('shows both counter-checks of a change of which something could be mutated', () => {
    const evidence = VERIFIED.evidence.map((row) => ({ ...row, mutated: 'fail' as const }));
    const shown = evidenceDocument({ ...VERIFIED, evidence });
    expect(shown).toContain('| fail | pass | reverted: fail, mutated: fail | proven |');
    expect(shown).toContain('| pass | pass | mutated: fail |');
  });

  it('names the fault that a test noticed, and where the raw outputs are', () => {
    const fault = 'src/a.js:4 comparison swapped: a === b → a !== b';
    const report = { ...VERIFIED, run: 17, evidence: VERIFIED.evidence.slice(0, 1).map((row) => ({ ...row, fault })) };
    const named = `Faults that these tests noticed:\n\n- R-1: \`${fault}\``;
    expect(evidenceDocument(report)).toContain(named);
    expect(evidenceDocument(report)).toContain('in the artifact `verify` of workflow run 17.');
    const body = pullBody(buildingLoop(), MODEL, { report });
    expect(body).toContain(named);
    expect(body).toContain('the artifact `verify` of [workflow run 17](/acme/shop/actions/runs/17).');
  });

  it('says that there was no sandbox', () => {
    expect(evidenceDocument({ ...VERIFIED, sandbox: 'none' })).toContain('**Sandbox: none.**');
  });
});
