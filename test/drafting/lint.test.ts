import { describe, expect, it } from 'vitest';
import type { Specification } from '../../src/documents/documents.ts';
import { missingFromContract } from '../../src/drafting/contract-mentions.ts';
import { goalProblems } from '../../src/drafting/goal-metrics.ts';
import { type Judged, lintSpecification } from '../../src/drafting/lint.ts';
import { brokenRules, confidenceOf, toldPoint } from '../../src/drafting/spec-points.ts';
import { GUARDRAILS } from '../guardrails.ts';
import { requirement, specification } from './authored.ts';

const { thresholds } = GUARDRAILS;

type Row = Specification['requirements'][number];

function unmet(spoiled: Specification, text = 'short', goal: Judged['goal'] = requirement): readonly string[] {
  return lintSpecification({ specification: spoiled, goal, text, lane: 'feature', thresholds })
    .filter(({ met }) => !met)
    .map(({ requirement, point }) => `${requirement ?? 'spec'} ${point}`);
}

const METRIC = ['spec goal-metrics'];

function rate(name: string, operator: '>=' | '==', value: number) {
  return { name, operator, value, unit: '' };
}

function withFirst(change: Partial<Row>): Specification {
  return {
    ...specification,
    requirements: specification.requirements.map((row, index) => (index === 0 ? { ...row, ...change } : row)),
  };
}

describe('lintSpecification', () => {
  it('finds nothing wrong with a good specification', () => {
    expect(unmet(specification)).toEqual([]);
  });

  it.each([
    ['The list answers quickly for `GET /items?state=open`.', 'R-1 no-vague-words'],
    ['The page should be user-friendly at `GET /items`.', 'R-1 no-vague-words'],
  ])('finds the vague word in: %s', (statement, problem) => {
    expect(unmet(withFirst({ statement }))).toEqual([problem]);
  });

  it('does not take a quoted value for a promise', () => {
    expect(
      unmet(
        withFirst({
          statement: '`GET /items?state=open` shows the label "easy" for fast food.'.replace('fast', '`fast`'),
        }),
      ),
    ).toEqual([]);
  });

  it.each([['It works.'], ['The list is filtered.'], ['Errors are handled well.']])(
    'refuses a criterion that no machine can check: %s',
    (criterion) => {
      expect(unmet(withFirst({ criteria: [criterion] }))).toEqual(['R-1 measurable-criteria']);
    },
  );

  it.each([
    ['`slugify("Hello World")` returns `"hello-world"`.'],
    ['Running `tally report --month 2` prints `total 12` and exits 0.'],
    ['For an empty list the function returns 0.'],
    ['GET /items/7 answers 404 when no item has the id 7.'],
  ])('accepts a criterion with an input and an exact result: %s', (criterion) => {
    expect(unmet({ ...withFirst({ criteria: [criterion], kind: 'keep' }) })).toEqual([]);
  });

  it('finds a number that is missing, and one that has no place', () => {
    expect(unmet(withFirst({ kind: 'metric' }))).toEqual(['R-1 metric']);
    expect(unmet(withFirst({ metric: { name: 'p95_ms', operator: '<=', value: 1, unit: 'ms' } }))).toEqual([
      'R-1 metric',
    ]);
  });

  it('finds ids out of order', () => {
    expect(unmet({ ...specification, requirements: specification.requirements.toReversed() })).toEqual([
      'spec consecutive-ids',
    ]);
  });

  it('says which ids there are and which there must be', () => {
    const requirements = specification.requirements.map((row) => (row.id === 'R-3' ? { ...row, id: 'R-2' } : row));
    const found = lintSpecification({
      thresholds,
      specification: { ...specification, requirements },
      goal: requirement,
      text: '',
      lane: 'feature',
    });
    expect(brokenRules(found).map(toldPoint)).toEqual([
      'the specification, consecutive-ids: Ids run R-1, R-2, … in order, each once: they are R-1, R-2, R-2, and must be R-1, R-2, R-3.',
    ]);
  });

  const p95 = { name: 'p95_ms', operator: '<=', value: 300, unit: 'ms' } as const;
  it.each<[string, Judged['goal'], readonly string[]]>([
    ['that no requirement states', { surface: 'http', metrics: [p95, { ...p95, name: 'flakiness' }] }, []],
    [
      'that is stricter than the gate',
      { surface: 'http', metrics: [{ ...p95, name: 'flakiness', value: 0.01 }] },
      METRIC,
    ],
    ['that every loop passes anyway', { surface: 'http', metrics: [rate('uat_pass_rate', '>=', 0.9)] }, []],
    ['that BUILD passes anyway', { surface: 'http', metrics: [rate('test_pass_rate', '==', 1)] }, []],
    ['of which the gate asks less', { surface: 'http', metrics: [rate('uat_pass_rate', '==', 1)] }, METRIC],
    ['that nobody measures, in no criterion', { surface: 'http', metrics: [rate('rows_lost', '==', 0)] }, METRIC],
  ])('looks for a metric of the goal %s', (_, goal, found) => {
    expect(unmet(specification, 'short', goal)).toEqual(found);
  });

  it('looks for a pass rate of all tests where the guardrails let some fail', () => {
    const goal: Judged['goal'] = { surface: 'http', metrics: [rate('test_pass_rate', '>=', 1)] };
    const looser = { ...thresholds, BUILD: { ...thresholds.BUILD, test_failures: 5 } };
    expect(goalProblems([], goal, thresholds)).toEqual([]);
    expect(goalProblems([], goal, looser)).toHaveLength(1);
  });

  it('takes a metric that VERIFY has no meter for from a criterion that names it', () => {
    const criteria = ['With one open item, `GET /items?state=open` answers `200`, and `rows_lost` is 0.'];
    const goal: Judged['goal'] = { surface: 'http', metrics: [rate('rows_lost', '==', 0)] };
    expect(unmet(withFirst({ criteria }), 'short', goal)).toEqual([]);
  });

  it('refuses a requirement whose metric nobody measures, before it is approved and cannot be proved', () => {
    expect(unmet(specification, 'short', { surface: 'library', metrics: [] })).toEqual(['R-3 metric']);
  });

  it.each([
    ['uat_pass_rate', 0.95, ['R-3 metric']],
    ['test_pass_rate', 1, ['R-3 metric']],
    ['uat_pass_rate', 1, []],
  ])('refuses a requirement that only repeats what every gate holds: %s %d', (name, value, found) => {
    const requirements = specification.requirements.map((row) =>
      row.kind === 'metric' ? { ...row, metric: rate(name, '>=', value) } : row,
    );
    expect(unmet({ ...specification, requirements }, 'short', { surface: 'http', metrics: [] })).toEqual(found);
  });

  it('finds a path that the interface document does not mention', () => {
    expect(unmet(withFirst({ statement: 'When asked, `GET /reports` lists the reports of 1 day.' }))).toEqual([
      'R-1 in-contract',
    ]);
  });

  it('finds an interface document that is no OpenAPI', () => {
    const contract = { format: 'openapi' as const, text: 'GET /items?state=open gives items: [' };
    expect(unmet({ ...specification, contract })).toEqual(['spec contract-parses']);
  });

  it('finds a wall of text', () => {
    expect(unmet(specification, 'x'.repeat(14_001))).toEqual(['spec spec-length']);
  });
});

describe('missingFromContract', () => {
  it.each([
    ['GET /items/7', '/items/{id}:', []],
    ['`DELETE /items/7?force=1`', 'DELETE /items/:id', []],
    ['GET /', 'nothing', []],
    ['GET /items', '/items/{id}', ['/items']],
    ['`slugify("A b")` returns', 'export function slugify(text: string): string', []],
    ['`text.slugify("A b")` returns', 'no such name', ['slugify']],
  ])('reads %s against %s', (text, contract, missing) => {
    expect(missingFromContract([text], contract)).toEqual(missing);
  });
});

describe('confidenceOf', () => {
  it('is the share of points met, and nothing without points', () => {
    const point = { by: 'lint' as const, requirement: undefined, point: 'x', detail: '' };
    expect(
      confidenceOf([
        { ...point, met: true },
        { ...point, met: false },
      ]),
    ).toBe(0.5);
    expect(confidenceOf([])).toBe(0);
  });
});
