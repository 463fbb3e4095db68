/** A proof in the format of code scanning. */
import { expect, test } from 'vitest';
import { defect } from '../../src/loop/defect.ts';
import type { Proof } from '../../src/proof/proof.ts';
import { sarifOf } from '../../src/proof/sarif.ts';

const PROOF: Proof = {
  version: 1,
  base: 'a'.repeat(40),
  head: 'b'.repeat(40),
  runner: 'node-test',
  trust: 'sealed',
  verdict: 'not proved',
  reasons: ['No test was added or changed.'],
  product: ['src/a b.js'],
  rows: [],
  strength: null,
  requirements: [],
  findings: [],
  notAsked: 0,
  kept: 0,
  redBefore: 0,
  redTests: [],
  unrun: [],
  exchanged: [],
  notNeeded: 0,
  sandbox: 'bubblewrap',
  durationMs: 1,
};
const placed = (uri: string, startLine: number) => [
  { physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region: { startLine } } },
];
const runOf = (proof: Proof) => JSON.parse(JSON.stringify(sarifOf(proof))).runs[0];

test('findings, red tests and faults that nobody notices are results with their places', () => {
  const finding = defect({ rule: 'test-left-out', file: 'test/a.js', line: 3, about: 'x', message: 'It is left out.' });
  const row = { test: 'test/a.js::adds', role: 'red', without: 'fail', head: ['fail'], how: null, said: 'no' } as const;
  const survivor = { file: 'src/a b.js', line: 7, sentence: '`<` is taken as `<=`.', patch: '' };
  const { results, tool } = runOf({
    ...PROOF,
    findings: [finding],
    rows: [{ ...row, head: [...row.head] }],
    strength: { made: 2, noticed: 1, unmeasured: 0, unreached: [], survivors: [survivor] },
  });
  expect(results).toEqual([
    {
      ruleId: 'test-left-out',
      level: 'error',
      message: { text: 'It is left out.' },
      locations: placed('test/a.js', 3),
    },
    {
      ruleId: 'red-test',
      level: 'error',
      message: { text: 'test/a.js::adds does not pass on the head: no' },
      locations: placed('test/a.js', 1),
    },
    {
      ruleId: 'survivor',
      level: 'warning',
      message: { text: 'No test notices this fault: `<` is taken as `<=`.' },
      locations: placed('src/a%20b.js', 7),
    },
  ]);
  expect(tool.driver.rules).toEqual([{ id: 'test-left-out' }, { id: 'red-test' }, { id: 'survivor' }]);
});

test('what is not proved for another reason says the reason, and never looks as if nothing was found', () => {
  expect(runOf(PROOF).results).toEqual([
    { ruleId: 'not-proved', level: 'error', message: { text: 'No test was added or changed.' } },
  ]);
});

test.each([
  ['proved', true],
  ['not proved', true],
  ['not judged', false],
] as const)('%s was executed: %s', (verdict, executionSuccessful) => {
  expect(runOf({ ...PROOF, verdict }).invocations).toEqual([{ executionSuccessful }]);
});

test('what is proved has no result', () => {
  expect(runOf({ ...PROOF, verdict: 'proved', reasons: [] }).results).toEqual([]);
});
