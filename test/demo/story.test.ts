import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { wrapped } from '../../src/demo/plain-text.ts';
import { createStory } from '../../src/demo/story.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { buildingLoop, record, stoppedLoop, waitingLoop } from '../render/loops.ts';

const REPOSITORY = 'http://127.0.0.1:8480/acme/shop';

beforeEach(() => void vi.useFakeTimers({ now: 65_000 }));
afterEach(() => void vi.useRealTimers());

/** What a person reads while the loop goes through these states, 65 seconds after the start. */
function told(...loops: readonly Loop[]): string {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const story = createStory({ say, startedMs: 0, repositoryUrl: REPOSITORY, maintainer: 'maria' });
  for (const loop of loops) story.follow(loop);
  return lines.join('\n');
}

describe('the story of the demo', () => {
  test('says each thing once, with its time, in columns, up to the packet', () => {
    expect(`\n${told(waitingLoop(), waitingLoop())}\n`).toMatchInlineSnapshot(`
      "
        1:05  ✓ DISCOVER     goal_metrics 2 (≥ 1) · open_questions 0 (≤ 0)
        1:05  ✓ DEFINE       spec_confidence 0.952 (≥ 0.9)
        1:05  ✓ PLAN         arch_uncertainty 0.25 (≤ 0.8) · uncovered_requirements 0 (≤ 0) · diagram_errors 0 (≤ 0)
        1:05  ▸ ARCH_REVIEW  draft pull request #13: spec, plan, price and four diagrams wait for a person
                             http://127.0.0.1:8480/acme/shop/pull/13
      "
    `);
  });

  test('says what failed, why, and that it is fed back', () => {
    const [, failed] = told(buildingLoop()).split('✗ ');
    expect(`\n${failed}\n`).toMatchInlineSnapshot(`
      "
      BUILD        test_failures 1 (needs ≤ 0)
                             - src/items.js:4: open items only: expected 1 item, got 2. (R-1)
                             → fed back to BUILD, which tries again with it
      "
    `);
  });

  test('shows what was found with its actual and expected values, and what was not measured in one sentence', () => {
    const message =
      'The test "R-1" has the outcome fail: Expected values:\n+ actual - expected\n\n+ []\n- [ 1 ]\n    at f (a.js:1)';
    const loop = buildingLoop();
    const feedback = loop.feedback.map((defect) => ({ ...defect, message }));
    expect(told({ ...loop, feedback })).toContain(
      ['Expected values: (R-1)', '    + actual - expected', '    + []', '    - [ 1 ]', '→'].join(`\n${' '.repeat(23)}`),
    );
  });

  test('does not say that anything is fed back when the loop stopped', () => {
    expect(told(stoppedLoop())).toMatch(/✗ BUILD .*\n.*open items only.*$/);
  });

  test('counts the tries of a phase, not those of its plan', () => {
    const seed = record(7, 'SEED_DATA', [], { attempt: 2 });
    expect(told({ ...buildingLoop(), entries: [...buildingLoop().entries, seed] })).toContain('✓ SEED_DATA    done');
  });

  test('counts a try that was cut short as none', () => {
    const [failed] = buildingLoop().entries.filter(({ phase }) => phase === 'BUILD');
    if (failed === undefined) throw new Error('it is there');
    const cut = { ...failed, entry: 90, outcome: 'cancelled' as const, reason: 'BUILD: the runner died.' };
    const again = record(91, 'BUILD', []);
    const lines = told({ ...buildingLoop(), entries: [failed, cut, again] });
    expect(lines).toContain('✗ BUILD        try 2');
    expect(lines).toContain('✓ BUILD        try 2');
  });

  test('gives the reason where nothing was measured', () => {
    const gates = [{ name: 'build_errors', threshold: '<= 0', passed: false }];
    const died = record(5, 'BUILD', gates, { outcome: 'cancelled', reason: 'BUILD: the run was cancelled.' });
    expect(told({ ...buildingLoop(), feedback: [], entries: [died] })).toBe(
      '  1:05  ✗ BUILD        the run was cancelled.',
    );
  });

  test('says once what SHIP waits for, and how long it must be quiet', () => {
    const shipping: Loop = { ...buildingLoop(), phase: 'SHIP', entry: 9, feedback: [], entries: [] };
    const promotion = { by: 'auto', why: 'no secrets' } as const;
    const promotedAt = '2026-01-02T03:20:00.000Z';
    const promoted: Loop = { ...shipping, shipping: { promotion, promotedAt, asked: 0, waitsFor: [], checks: [] } };
    expect(told(shipping)).toBe('');
    expect(told(shipping, promoted, promoted)).toBe(
      "  1:05  ▸ SHIP         waits for the repository's own checks; judged once they have been quiet for 120 s",
    );
  });

  test('says loudly that nothing contains the code', () => {
    expect(told(buildingLoop({ built: { reports: {}, sandbox: 'none' } }))).toContain('! BUILD        sandbox: none.');
  });
});

describe('wrapped text', () => {
  test('breaks a part between words where it is longer than a line', () => {
    const lines = wrapped('  ', [`try 2 · ${'many words '.repeat(20).trim()}`]);
    expect(lines.every((line) => line.length <= 110)).toBe(true);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toBe(` try 2 ${'many words '.repeat(20).trim()}`);
  });

  test('keeps a value with its name, and indents what follows', () => {
    const address = 'http://127.0.0.1/'.padEnd(120, 'x');
    const gates =
      'first_gate 1 (≤ 2) · second_gate 1 (≤ 2) · third_gate 1 (≤ 2) · fourth_gate 1 (≤ 2) · fifth_gate 1 (≤ 2)';
    expect(wrapped('  0:01  ✓ VERIFY       ', [gates, address])).toEqual([
      '  0:01  ✓ VERIFY       first_gate 1 (≤ 2) · second_gate 1 (≤ 2) · third_gate 1 (≤ 2) · fourth_gate 1 (≤ 2)',
      `${' '.repeat(23)}fifth_gate 1 (≤ 2)`,
      `${' '.repeat(23)}${address}`,
    ]);
  });
});
