/** What a changed test shows by its outcomes with and without the change. */
import { describe, expect, test } from 'vitest';
import { firstLine, proofRows, withRedBefore } from '../../src/proof/rows.ts';
import type { TestResult } from '../../src/test-runs/test-run.ts';

const pass: TestResult = { outcome: 'pass', message: '' };
const fail: TestResult = { outcome: 'fail', message: 'AssertionError: 1 == 2\nat somewhere' };
const raised = (message: string): TestResult => ({ outcome: 'load-error', message, isRaised: true });
const unloaded = (message: string): TestResult => ({ outcome: 'load-error', message });
const skipped: TestResult = { outcome: 'not-run', message: 'skipped or todo' };

function rowOf(head: readonly TestResult[], without: TestResult) {
  const [row] = proofRows(
    head.map((result) => new Map([['t', result]])),
    new Map([['t', without]]),
  );
  return row;
}

describe('a test that does not pass on the head', () => {
  const rows = proofRows([new Map([['t', fail]])], new Map([['t', fail]]));
  test.each([
    ['was red on the base', fail, 'red before'],
    ['could not be loaded there', unloaded('x'), 'red before'],
    ['passed there', pass, 'red'],
    ['was left out there', skipped, 'red'],
  ])('and %s: %#', (_, before, role) => {
    expect(withRedBefore(rows, new Map([['t', before]]))[0]?.role).toBe(role);
  });

  test('and is new is red', () => {
    expect(withRedBefore(rows, new Map())[0]?.role).toBe('red');
  });
});

test.each([
  ['Expected values to be strictly equal:\n\n2 !== 3\n', 'Expected values to be strictly equal: 2 !== 3'],
  [
    'Expected values to be strictly equal:\n+ actual - expected\n\n+ 5\n- 7\n',
    'Expected values to be strictly equal: + 5 - 7',
  ],
  [
    'expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: 2\n',
    'expect(received).toBe(expected) // Object.is equality Expected: 3, Received: 2',
  ],
  ['one\ntwo', 'one'],
  ["  ● Test suite failed to run\n\n    Cannot find module 'a' from 'b'\n", "Cannot find module 'a' from 'b'"],
  ['', ''],
])('of %j people read %j', (message, line) => {
  expect(firstLine(message)).toBe(line);
});

describe('a test that passes on the head', () => {
  test.each([
    ['asserts otherwise without the change', fail, 'assertion'],
    ['raises without the change', raised('RangeError: out of range'), 'exception'],
    ['calls what is not there', raised('TypeError: add is not a function'), 'missing'],
    ['asks for what an object lacks', raised("AttributeError: module 'shop' has no attribute 'add'"), 'missing'],
    ['passes a keyword that nobody knows', raised("TypeError: f() got an unexpected keyword argument 'x'"), 'missing'],
    ['cannot be loaded without the change', unloaded('SyntaxError: does not provide an export named'), 'missing'],
    ['ends its process without the change', unloaded('test/a.js ended before its tests were finished'), 'missing'],
  ])('and %s proves by %j: %s', (_, without, how) => {
    expect(rowOf([pass, pass, pass], without)).toMatchObject({ role: 'proves', how, without: without.outcome });
  });

  test('and without the change keeps something', () => {
    expect(rowOf([pass, pass], pass)).toMatchObject({ role: 'keeps', how: null, said: '' });
  });

  test('and is not run without the change shows nothing', () => {
    expect(rowOf([pass], skipped)).toMatchObject({ role: 'left out', how: null });
  });

  test('now and then is flaky, whatever it does without the change', () => {
    expect(rowOf([pass, fail, pass], fail)).toMatchObject({ role: 'flaky', head: ['pass', 'fail', 'pass'] });
  });
});

test.each([fail, raised('Error: x'), unloaded('x')])('a test that never passes on the head is red', (outcome) => {
  expect(rowOf([outcome, outcome], fail)).toMatchObject({ role: 'red', how: null });
});

test('a test that is skipped on the head is left out', () => {
  expect(rowOf([skipped, skipped], fail)).toMatchObject({ role: 'left out' });
});

test('a row says what the failure said, its first line, and no more than can be read', () => {
  expect(rowOf([pass], fail)?.said).toBe('AssertionError: 1 == 2');
  expect(rowOf([pass], { outcome: 'fail', message: 'x'.repeat(5000) })?.said).toHaveLength(200);
});

test('a test that one run did not report is not told to pass', () => {
  const [row] = proofRows([new Map([['t', pass]]), new Map()], new Map([['t', fail]]));
  expect(row?.role).toBe('flaky');
});
