import { describe, expect, it } from 'vitest';
import { issueLane } from '../../src/loop/lane.ts';

describe('the lane of a loop', () => {
  it.each([
    ['Crash on an empty name', [], 'bug'],
    ['Typo in the help', [], 'trivial'],
    ['Fix a typo', [], 'bug'],
    ['Add search', [], 'feature'],
    ['Add an errorless mode', [], 'feature'],
  ] as const)('of "%s" with the labels %j is %s', (title, labels, lane) => {
    expect(issueLane(title, labels)).toBe(lane);
  });

  it.each([
    ['Crash on an empty name', ['loop', 'trivial'], 'trivial'],
    ['Typo in the help', ['Enhancement'], 'feature'],
    ['Add search', ['loop', 'bug'], 'bug'],
    ['Crash on an empty name', ['documentation'], 'trivial'],
  ] as const)('of "%s" is what a label of %j says: %s', (title, labels, lane) => {
    expect(issueLane(title, labels)).toBe(lane);
  });
});
