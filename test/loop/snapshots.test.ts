/** A red build leaves its snapshot; the next one goes on from the best, and people are told which. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { bestOf, withSnapshot } from '../../src/loop/snapshots.ts';
import { building, completed, driven, reported } from './stands.ts';
import { command, measured, timeOf } from './world.ts';

const digestOf = (mark: string): string => `sha256:${mark.repeat(64)}`;

/** The loop after a BUILD that reported so many red tests. */
function built(loop: Loop, mark: string, red: number | undefined): Loop {
  const over = { passes: false, report: digestOf(mark), measurements: counts(red) };
  return driven(decide(loop, completed(loop)).loop, { collect: (at) => reported(at, over) });
}

function counts(red: number | undefined) {
  return measured('BUILD', true).flatMap((one) => {
    if (one.name !== 'test_failures') return [one];
    return red === undefined ? [] : [{ ...one, value: red }];
  });
}

describe('the next build', () => {
  it('goes on from the last one that had the fewest red tests, and says so where that is not the last', () => {
    const snapshots = [3, 1, 1, 4].reduce<ReturnType<typeof withSnapshot>>(
      (before, red, index) =>
        withSnapshot(before, { report: digestOf(String(index)), iteration: index + 1, measurements: counts(red) }),
      [],
    );
    expect(bestOf(snapshots)).toMatchObject({ iteration: 3, red: 1 });
  });

  it('never goes back for a build that was not measured', () => {
    const one = withSnapshot([], { report: digestOf('1'), iteration: 1, measurements: counts(undefined) });
    const two = withSnapshot(one, { report: digestOf('2'), iteration: 2, measurements: counts(9) });
    expect(bestOf(two)).toMatchObject({ iteration: 2 });
    const three = withSnapshot(two, { report: digestOf('3'), iteration: 3, measurements: counts(undefined) });
    expect(bestOf(three)).toMatchObject({ iteration: 2 });
  });

  it('of a loop begins with it', () => {
    const first = built(building(), '1', 1);
    expect(first.built).toMatchObject({ reports: { build: digestOf('1') }, snapshots: [{ iteration: 1, red: 1 }] });
    const second = built(first, '2', 5);
    expect(second).toMatchObject({
      phase: 'BUILD',
      counters: { iterations: 3 },
      built: { reports: { build: digestOf('1') } },
      note: 'The next build goes on from iteration 1, which had fewer red tests (1) than iteration 2 (5).',
    });
  });

  it('of another plan begins with none', () => {
    const second = built(built(building(), '1', 1), '2', 5);
    const replanned = decide(second, command('stop', '', timeOf(90))).loop;
    const again = decide(replanned, command('rerun', 'PLAN', timeOf(91))).loop;
    expect(again.built.reports.build).toBeUndefined();
    const approved = driven(decide(driven(again), command('approve', '', timeOf(95))).loop);
    expect(built(approved, '7', 2).built.snapshots).toMatchObject([{ report: digestOf('7') }]);
  });
});
