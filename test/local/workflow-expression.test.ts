import { describe, expect, it } from 'vitest';
import {
  conditionHolds,
  flagHolds,
  interpolate,
  minutesOf,
  type Status,
} from '../../src/local/actions/workflow-expression.ts';

const contexts = { github: { ref: 'refs/heads/main', list: [{ n: 1 }, { n: 2 }] }, inputs: { flag: false, text: 'x' } };
const scope = (status: Status = 'success') => ({ contexts, status });
const quoted = (expression: string): string => `\${{ ${expression} }}`;

describe('an expression', () => {
  it.each([
    ["'it''s ''quoted'' }} here'", "it's 'quoted' }} here"],
    ['github.ref', 'refs/heads/main'],
    ['GITHUB.Ref', 'refs/heads/main'],
    ['inputs.missing', ''],
    ['join(github.list.*.n)', '1,2'],
    ["format('{0}-{1}', inputs.text, 2)", 'x-2'],
    ['toJSON(inputs.flag)', 'false'],
    ['fromJSON(\'{"a":[7]}\').a[0]', '7'],
    ["inputs.flag && 'yes' || 'no'", 'no'],
    ["startsWith(github.ref, 'refs/') && contains('abc', 'B')", 'true'],
  ])('%s is %s', (expression, expected) => {
    expect(interpolate(`<${quoted(expression)}|${quoted(expression)}>`, scope())).toBe(`<${expected}|${expected}>`);
  });

  it.each([
    [quoted('unknown.x'), /unknown/],
    [quoted('hashFiles(1)'), /hashFiles/],
    [`a ${'$'}{{ github.ref`, /not closed/],
  ])('%s is an error, never empty text', (template, message) => {
    expect(() => interpolate(template, scope())).toThrow(message);
  });
});

describe('a condition', () => {
  it.each<[string | boolean | undefined, Status, boolean]>([
    [undefined, 'success', true],
    [undefined, 'failure', false],
    ["github.ref == 'refs/heads/main'", 'success', true],
    ["github.ref == 'refs/heads/main'", 'failure', false],
    ['always()', 'failure', true],
    ['failure()', 'failure', true],
    ['failure()', 'skipped', false],
    ['success()', 'skipped', false],
    ['cancelled()', 'cancelled', true],
    ['!cancelled()', 'failure', true],
    [quoted("failure() || inputs.text == 'x'"), 'failure', true],
    ["'false'", 'success', true],
    ["''", 'success', false],
    [false, 'success', false],
  ])('%s after %s holds: %s', (condition, status, expected) => {
    expect(conditionHolds(condition, scope(status))).toBe(expected);
  });

  it('that mixes text and an expression is refused, as it would always hold on GitHub', () => {
    expect(() => conditionHolds(`${quoted('inputs.flag')} == true`, scope())).toThrow('always true');
  });
});

describe('a literal or an expression', () => {
  it('is a flag', () => {
    expect([true, undefined, quoted('inputs.flag'), quoted('!inputs.flag')].map((f) => flagHolds(f, scope()))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('is a number of minutes that a timer can hold', () => {
    expect([minutesOf(3, scope()), minutesOf(quoted('2'), scope()), minutesOf(undefined, scope())]).toEqual([
      3,
      2,
      undefined,
    ]);
    expect(() => minutesOf(quoted("'x'"), scope())).toThrow('timeout-minutes');
    expect(() => minutesOf(50_000, scope())).toThrow('at most 35000');
  });
});
