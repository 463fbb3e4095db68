import { expect, it } from 'vitest';
import { byWaiting } from '../../src/jobs/verify/trial.ts';
import type { Fault } from '../../src/syntax/faults.ts';
import type { FaultKind } from '../../src/syntax/language.ts';

const at = (kind: FaultKind, line: number): Fault => ({
  ...{ kind, file: 'src/a.js', line, scope: -1, start: 0, end: 1, text: '', sentence: kind },
});
const faults = [at('string', 1), at('call', 2), at('condition', 3), at('return', 4), at('constant', 5)];
const linesOf = (ordered: readonly Fault[]) => ordered.map(({ line }) => line);

it('faults that leave an answer out begin first where all are tried, and last where one that is noticed is enough', () => {
  expect(linesOf(byWaiting(faults, 'longest first'))).toEqual([2, 4, 1, 3, 5]);
  expect(linesOf(byWaiting(faults, 'shortest first'))).toEqual([1, 3, 5, 2, 4]);
});
