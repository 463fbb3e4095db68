import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../src/loop/check-run.ts';
import { checksOf } from '../../src/render/checks.ts';
import { buildingLoop, DIGEST, MODEL, RED, record, startedLoop, stoppedLoop, VERIFIED, waitingLoop } from './loops.ts';

const FACTS = { ...MODEL, headSha: 'c'.repeat(40) };

function runOf(loop: Parameters<typeof checksOf>[0], name: string): CheckRun {
  const runs: readonly CheckRun[] = checksOf(loop, FACTS);
  const run = runs.find((each) => each.name === `loopwright / ${name}`);
  if (run === undefined) throw new Error(`no check ${name}`);
  return run;
}

function states(loop: Parameters<typeof checksOf>[0]): readonly string[] {
  return checksOf(loop, FACTS).map(({ status, conclusion }) => conclusion ?? status);
}

describe('the four check runs', () => {
  it('are always exactly these four, on the given head', () => {
    for (const loop of [startedLoop(), waitingLoop(), buildingLoop(), stoppedLoop()]) {
      expect(checksOf(loop, FACTS).map(({ name }) => name)).toEqual([
        'loopwright / plan',
        'loopwright / build',
        'loopwright / verify',
        'loopwright / evidence',
      ]);
      expect(checksOf(loop, FACTS).every(({ headSha }) => headSha === FACTS.headSha)).toBe(true);
    }
  });

  it.each([
    ['at the start', startedLoop(), ['in_progress', 'queued', 'queued', 'queued']],
    ['while the packet waits', waitingLoop(), ['action_required', 'queued', 'queued', 'queued']],
    ['while building', buildingLoop(), ['success', 'in_progress', 'queued', 'queued']],
    [
      'while paused',
      buildingLoop({ status: 'paused', pausedFrom: 'working', note: 'Paused by @bob.' }),
      ['success', 'in_progress', 'queued', 'queued'],
    ],
    ['after a stop in BUILD', stoppedLoop(), ['success', 'failure', 'cancelled', 'cancelled']],
  ])('show %s what is passed, at work and ahead', (_, loop, expected) => {
    expect(states(loop)).toEqual(expected);
  });

  it('are all green only when every phase passed', () => {
    const passed = [
      record(6, 'BUILD', []),
      record(7, 'SEED_DATA', []),
      record(8, 'VERIFY', []),
      record(9, 'SHIP', []),
      record(10, 'REFLECT', []),
    ];
    const loop = buildingLoop({
      status: 'succeeded',
      phase: 'REFLECT',
      entry: 10,
      entries: [...buildingLoop().entries, ...passed],
    });
    expect(states(loop)).toEqual(['success', 'success', 'success', 'success']);
    const unjudged = { ...loop, entries: loop.entries.filter(({ phase }) => phase !== 'VERIFY') };
    expect(states(unjudged)).toEqual(['success', 'success', 'failure', 'success']);
  });

  it('offer Approve and Re-run on the plan while approval is awaited, bound to the whole digest', () => {
    const run = runOf(waitingLoop(), 'plan');
    expect(run.actions.map(({ identifier }) => identifier)).toEqual(['approve', 'rerun']);
    expect(run.externalId).toBe(`2/12/1/ARCH_REVIEW/1/${DIGEST}`);
    expect(runOf(buildingLoop(), 'plan').actions).toEqual([]);
    expect(checksOf(waitingLoop(), FACTS).filter(({ actions }) => actions.length > 0)).toHaveLength(1);
  });

  it('keep the buttons within what GitHub takes', () => {
    for (const { label, description, identifier } of runOf(waitingLoop(), 'plan').actions) {
      expect(label.length).toBeLessThanOrEqual(20);
      expect(description.length).toBeLessThanOrEqual(40);
      expect(identifier.length).toBeLessThanOrEqual(20);
    }
  });

  it('read well while the packet waits', () => {
    expect(runOf(waitingLoop(), 'plan').summary).toMatchInlineSnapshot(`
      "**Approve** accepts the packet with digest \`0123456789ab\`, and building starts. A newer packet makes this button do nothing.

      | phase | gate | value | needs | verdict |
      |---|---|---|---|---|
      | DISCOVER | goal_metrics | 2 | ≥ 1 | passed |
      | DISCOVER | open_questions | 0 | ≤ 0 | passed |
      | DEFINE | spec_confidence | 0.952 | ≥ 0.9 | passed |
      | PLAN | arch_uncertainty | 0.25 | ≤ 0.8 | passed |
      | PLAN | uncovered_requirements | 0 | ≤ 0 | passed |
      | PLAN | diagram_errors | 0 | ≤ 0 | passed |

      So far: 7 model calls, 41,200 tokens, 0.31 of 3 USD."
    `);
  });

  it('say that nothing is measured yet instead of showing the try before', () => {
    const { summary, text } = runOf(buildingLoop(), 'build');
    expect(summary).toContain('| BUILD | test_failures |  | ≤ 0 | not yet |');
    expect(text).toContain('| 5 | BUILD | 1 | failed | 9 s | BUILD: test_failures 1 (needs <= 0). |');
  });

  it('say that what was not measured blocks, where the phase was judged', () => {
    const ended = stoppedLoop().entries.at(-1);
    if (ended === undefined) throw new Error('there is an entry');
    const gates = [{ name: 'test_failures', value: undefined, threshold: '<= 0', passed: false }];
    const entries = [...stoppedLoop().entries.slice(0, -1), { ...ended, gates }];
    expect(runOf({ ...stoppedLoop(), entries }, 'build').summary).toContain(
      '| BUILD | test_failures | not measured | ≤ 0 | not measured, blocks |',
    );
  });

  it('say in a line per phase what will be needed, before it is reached', () => {
    expect(runOf(waitingLoop(), 'verify').summary).toMatchInlineSnapshot(
      `"- VERIFY needs \`uat_pass_rate\` ≥ 0.95, \`failed_requirements\` ≤ 0, \`evidence_gaps\` ≤ 0, \`mutation_score\` ≥ 0.8 (blocks nothing), \`regressions\` ≤ 0, \`test_integrity_violations\` ≤ 0, \`security_findings\` ≤ 0, \`p95_ms\` ≤ 500, \`flakiness\` ≤ 0.1."`,
    );
  });

  it('show what proves each requirement in the evidence check, and nowhere else', () => {
    const loop = buildingLoop({ phase: 'SHIP', entry: 9 });
    const facts = { ...FACTS, report: VERIFIED };
    const showing = checksOf(loop, facts).filter(({ summary }) => summary.includes('**not proven**'));
    expect(showing.map(({ name }) => name)).toEqual(['loopwright / evidence']);
  });

  describe('where the tests notice few faults', () => {
    const patch = '--- a/src/a.js\n+++ b/src/a.js\n@@ -3 +3 @@\n-a > b\n+a >= b\n';
    const survivor = { file: 'src/a.js', line: 3, sentence: '`a > b` becomes `a >= b`', patch };
    const one = { requirement: 'R-1', made: 5, noticed: 2, unmeasured: 0, unreached: [] };
    const judged = (weak: boolean) => {
      const gate = { name: 'mutation_score', value: 0.4, threshold: '>= 0.8', passed: false, advisory: true as const };
      const verify = record(8, 'VERIFY', weak ? [gate] : []);
      const loop = buildingLoop({ phase: 'SHIP', entry: 9, status: 'succeeded' });
      const ended = { ...loop, entries: [...loop.entries, verify, record(9, 'SHIP', [])] };
      const report = { ...VERIFIED, strengths: [{ ...one, weak, survivors: [survivor] }] };
      return checksOf(ended, { ...FACTS, report }).find(({ name }) => name === 'loopwright / evidence');
    };

    it('call the evidence neutral, with each fault as a patch at its line', () => {
      expect(judged(true)).toMatchObject({
        conclusion: 'neutral',
        title: 'Weakly proved: mutation_score 0.4, wanted ≥ 0.8',
        annotations: [{ path: 'src/a.js', line: 3, level: 'warning', message: expect.stringContaining(patch) }],
      });
      expect(judged(true)?.summary).toContain('R-1: the tests notice 2 of 5, **weakly proved**.');
      expect(judged(true)?.summary).toContain('| **weakly proved** |');
    });

    it('and call it a success where they notice enough', () => {
      expect(judged(false)).toMatchObject({ conclusion: 'success', annotations: [] });
    });
  });

  it('list what the last failed try found, also where it points into no file', () => {
    const message = 'The builder did not finish T-1: the model made no usable tool call in 3 turns in a row.';
    const loop = buildingLoop({ feedback: [{ ...RED, rule: 'builder', file: null, line: null, message }, RED] });
    expect(runOf(loop, 'build').text).toContain(`builder (R-1): ${message}`);
    expect(runOf(loop, 'verify').text).toBe('');
  });

  it('annotate the defects of the check that failed, and no other', () => {
    expect(runOf(stoppedLoop(), 'build').annotations).toEqual([
      {
        path: 'src/items.js',
        line: 4,
        level: 'failure',
        message: 'frozen-test: open items only: expected 1 item, got 2.',
      },
    ]);
    expect(runOf(stoppedLoop(), 'verify').annotations).toEqual([]);
  });

  it('stay within 50 annotations and 60,000 characters however much went wrong', () => {
    const feedback = Array.from({ length: 400 }, (_, index) => ({ ...RED, id: `d-${index}` }));
    const run = runOf({ ...stoppedLoop(), feedback }, 'build');
    expect(run.annotations).toHaveLength(50);
    expect(run.summary.length + run.text.length).toBeLessThan(60_000);
  });
});
