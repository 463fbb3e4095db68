import { describe, expect, it } from 'vitest';
import type { Specification } from '../../src/documents/documents.ts';
import { missingFromContract } from '../../src/drafting/contract-mentions.ts';
import { lintSpecification } from '../../src/drafting/lint.ts';
import { confidenceOf } from '../../src/drafting/spec-points.ts';
import { specification } from './authored.ts';

type Row = Specification['requirements'][number];

function unmet(spoiled: Specification, text = 'short'): readonly string[] {
  return lintSpecification(spoiled, text, 'feature')
    .filter(({ met }) => !met)
    .map(({ requirement, point }) => `${requirement ?? 'spec'} ${point}`);
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
