/** What the table of phases promises: every way back is bounded, nothing is built unapproved, and the table is data. */
import { describe, expect, test } from 'vitest';
import { edgesOf, leadsBack } from '../../src/loop/graph.ts';
import { LIMITS, PHASES, type Process, processSchema } from '../../src/loop/phases.ts';
import { phaseName } from '../../src/loop/terms.ts';

const BOUNDED: readonly string[] = [...Object.keys(LIMITS), 'iterations'];

describe('the table of phases', () => {
  test('is plain data: written out and read in again it is the same', () => {
    expect(processSchema.parse(JSON.parse(JSON.stringify(PHASES)))).toEqual(PHASES);
  });

  test.each(edgesOf(PHASES).filter(leadsBack))(
    'bounds the way back from $from to $to because of "$because"',
    ({ consumes }) => {
      expect(BOUNDED).toContain(consumes);
    },
  );

  test('has ways back: the bounds are of something', () => {
    expect(edgesOf(PHASES).filter(leadsBack).length).toBeGreaterThan(15);
  });

  test('leads to every phase, and from every phase to the end', () => {
    expect(reachedFrom('DISCOVER', PHASES)).toEqual(new Set(phaseName.options));
    for (const from of phaseName.options) expect(reachedFrom(from, PHASES)).toContain('REFLECT');
    expect(PHASES.REFLECT.pass).toBe('done');
  });

  test('enters work that needs an approval only from where a person gave it, or from such work', () => {
    expect(unapprovedWays(PHASES)).toEqual([]);
  });

  test('would be seen to let work pass unapproved', () => {
    const shortcut: Process = { ...PHASES, PLAN: { ...PHASES.PLAN, pass: 'BUILD' } };
    expect(unapprovedWays(shortcut)).toEqual(['PLAN → BUILD (pass)']);
    const failing: Process = { ...PHASES, ARCH_REVIEW: { ...PHASES.ARCH_REVIEW, fail: 'BUILD' } };
    expect(unapprovedWays(failing)).toEqual(['ARCH_REVIEW → BUILD (fail)']);
  });
});

/** Edges into work that needs an approval which neither come from such work, or from where that alone leads, nor are the approval itself. */
function unapprovedWays(process: Process): readonly string[] {
  const edges = edgesOf(process);
  const isApproved = (phase: (typeof phaseName.options)[number]): boolean =>
    process[phase].needs === 'approval' ||
    edges.filter(({ to }) => to === phase).every(({ from }) => process[from].needs === 'approval');
  return edges
    .filter(({ from, to }) => process[to].needs === 'approval' && !isApproved(from))
    .filter(({ from, because }) => !(process[from].waits === 'approval' && because === 'pass'))
    .map(({ from, to, because }) => `${from} → ${to} (${because})`);
}

function reachedFrom(start: (typeof phaseName.options)[number], process: Process): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const from of reached) for (const edge of edgesOf(process)) if (edge.from === from) reached.add(edge.to);
  return reached;
}
