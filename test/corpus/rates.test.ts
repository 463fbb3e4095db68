import { expect, test } from 'vitest';
import { boundsOf, type Judged, keptRows, rateLines } from './rates.ts';

const row = (name: Judged['case'], verdict: Judged['verdict']): Judged => ({
  folder: 'a',
  runner: 'unittest',
  case: name,
  isRight: name !== 'tests' && name !== 'half',
  verdict,
  reason: '',
  seconds: 1,
});

test("a share's bounds are Wilson's", () => {
  // https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
  expect(boundsOf(10, 10).map((share) => share.toFixed(4))).toEqual(['0.7225', '1.0000']);
  expect(boundsOf(0, 10).map((share) => share.toFixed(4))).toEqual(['0.0000', '0.2775']);
  expect(boundsOf(8, 10).map((share) => share.toFixed(4))).toEqual(['0.4902', '0.9433']);
});

test('what is not judged is neither a proof of the right nor a pass for the wrong', () => {
  const rows = [
    row('fix', 'proved'),
    row('fix', 'not judged'),
    row('half', 'not judged'),
    row('half', 'weakly proved'),
    row('negated', 'weakly proved'),
    row('named', 'not proved'),
  ];
  expect(rateLines(rows).map((line) => line.split(' (')[0])).toEqual([
    'right fixes proved: 1 of 2',
    'right fixes in another spelling proved: 1 of 2',
    'half of the fix refused: 1 of 2',
  ]);
});

test('of rows that were kept the last one of a case counts, and a line that was cut off does not', () => {
  const rows = [row('fix', 'not judged'), row('half', 'not proved'), row('fix', 'proved')];
  const text = `${rows.map((one) => JSON.stringify(one)).join('\n')}\n{"folder":"a","ru`;
  expect(keptRows(text)).toEqual([row('fix', 'proved'), row('half', 'not proved')]);
});
