/** What each build of a plan left, red or not: the next one goes on from the best of them. Pure. */
import { z } from 'zod';
import { digest, type Measurement } from './measurement.ts';

/** One finished build: its stored report, and how many of its tests were red. */
export const snapshot = z.strictObject({ report: digest, iteration: z.int(), red: z.int().optional() });
export type Snapshot = z.infer<typeof snapshot>;

/** The measurements of a build that count red tests. */
const RED_TESTS = ['test_failures', 'suite_failures'];

/** More builds than a plan can have. */
const KEPT = 12;

/** The snapshots with that of the build that has just reported; where none went before, the plan is new. */
export function withSnapshot(
  before: readonly Snapshot[],
  { report, iteration, measurements }: Omit<Snapshot, 'red'> & { readonly measurements: readonly Measurement[] },
): Snapshot[] {
  const counts = RED_TESTS.map((wanted) => measurements.find(({ name }) => name === wanted)?.value);
  const red = counts.reduce<number | undefined>(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
  return [...before, { report, iteration, ...(red !== undefined && { red }) }].slice(-KEPT);
}

/** What the next build goes on from: the last one, unless an earlier one had fewer red tests; what was not measured is never better. */
export function bestOf(snapshots: readonly Snapshot[]): Snapshot | undefined {
  return snapshots.reduce<Snapshot | undefined>(
    (best, one) => (best?.red !== undefined && best.red < (one.red ?? Number.POSITIVE_INFINITY) ? best : one),
    undefined,
  );
}

/** What people are told where it is not the last one. */
export function choiceText(best: Snapshot, last: Snapshot): string {
  const counted = ({ red }: Snapshot): string => (red === undefined ? 'not counted' : String(red));
  return `The next build goes on from iteration ${best.iteration}, which had fewer red tests (${counted(best)}) than iteration ${last.iteration} (${counted(last)}).`;
}
