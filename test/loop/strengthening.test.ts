import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import { defect, UNNOTICED } from '../../src/loop/defect.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { building, completed, driven, reported, SHA, upTo } from './stands.ts';
import { measured, timeOf } from './world.ts';

const SURVIVOR = defect({ rule: UNNOTICED, about: 'R-1:a.js:3', requirement: 'R-1', message: 'nobody notices it' });

/** The loop after VERIFY told this share of noticed faults. */
function verified(loop: Loop, share: number, over: Parameters<typeof reported>[1] = {}): Loop {
  const built = driven(decide(loop, completed(loop)).loop, { collect: (at) => reported(at, { at: timeOf(61) }) });
  return driven(decide(built, completed(built)).loop, {
    collect: (at) =>
      reported(at, {
        at: timeOf(62),
        measurements: measured('VERIFY', true).map((one) =>
          one.name === 'mutation_score' ? { ...one, value: share } : one,
        ),
        defects: [SURVIVOR],
        signature: 'the same each time',
        ...over,
      }),
  });
}

/** The loop, with so many iterations for a plan. */
function withIterations(iterations: number): Loop {
  const loop = building();
  if (loop.started === undefined) throw new Error('it was never started');
  return { ...loop, started: { ...loop.started, limits: { ...loop.started.limits, iterations } } };
}

describe('a candidate whose tests notice too few faults, where that is only reported', () => {
  it('goes back for further tests, which is no failure of its tree', () => {
    const loop = verified(withIterations(5), 0.4);
    expect(loop).toMatchObject({ status: 'working', phase: 'BUILD', feedback: [SURVIVOR], trees: [], signatures: [] });
    expect(loop.entries.at(-1)).toMatchObject({
      phase: 'VERIFY',
      outcome: 'failed',
      reason: 'VERIFY: the tests notice too few faults (mutation_score 0.4, wanted >= 0.8), so tests are added.',
    });
  });

  it('goes back twice at most, and then goes on as it is', () => {
    const twice = verified(verified(withIterations(5), 0.4), 0.5);
    expect(twice.phase).toBe('BUILD');
    const gone = verified(twice, 0.6);
    expect(gone.phase).toBe('SHIP');
    expect(gone.entries.at(-1)).toMatchObject({ phase: 'VERIFY', outcome: 'passed' });
  });

  it('goes on where the tests that were added noticed nothing more, also with the tree as it was', () => {
    const once = verified(withIterations(5), 0.4);
    const built = upTo(decide(once, completed(once)).loop, 'land');
    expect(driven(built)).toMatchObject({ phase: 'VERIFY', built: { candidate: { codeTree: SHA } } });
    expect(verified(once, 0.4).phase).toBe('SHIP');
  });

  it('goes on where nobody can say which faults those are', () => {
    expect(verified(withIterations(5), 0.4, { defects: [] }).phase).toBe('SHIP');
  });

  it('goes on where it was not measured, or no iteration is left, or nothing to pay for it', () => {
    const unmeasured = measured('VERIFY', true).filter(({ name }) => name !== 'mutation_score');
    expect(verified(withIterations(5), 0.4, { measurements: unmeasured }).phase).toBe('SHIP');
    expect(verified(withIterations(1), 0.4).phase).toBe('SHIP');
    const { started, spent, ...rest } = withIterations(5);
    if (started === undefined) throw new Error('it was never started');
    const limits = { ...started.limits, minutes: 0 };
    expect(verified({ ...rest, spent, started: { ...started, limits } }, 0.4).phase).toBe('SHIP');
  });

  it('fails as ever where another gate is red, or where the strength is required', () => {
    const red = measured('VERIFY', false, 'regressions').map((one) =>
      one.name === 'mutation_score' ? { ...one, value: 0.4 } : one,
    );
    expect(verified(withIterations(5), 0.4, { measurements: red })).toMatchObject({ phase: 'BUILD', trees: [SHA] });
    const loop = withIterations(5);
    if (loop.started === undefined) throw new Error('it was never started');
    const required: Loop = { ...loop, started: { ...loop.started, strength: 'required' } };
    expect(verified(required, 0.4)).toMatchObject({ phase: 'BUILD', trees: [SHA] });
  });
});
