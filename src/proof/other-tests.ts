/** The tests that a change did not touch: they must pass on the head as they do on the base. */
import { isTestFile } from '../guard/test-paths.ts';
import { scopeOf } from '../guard/test-scope.ts';
import type { Outcome } from '../loop/brief.ts';
import type { TestRun } from '../test-runs/test-run.ts';
import { type Judging, run, scoped } from './judging.ts';
import type { Proof } from './proof.ts';
import { firstLine } from './rows.ts';

/** Tests in files that the change did not touch and that pass on the base. */
export interface OtherTests {
  /** Those that no longer pass on the head, with what they said. */
  readonly lost: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
  /** Those that are red on the base already. */
  readonly redBefore: readonly string[];
  /** Files of which nobody knows what they hold, because they cannot be run to their end on the base. */
  readonly unrun: Proof['unrun'];
  /** What a run of them takes on the head. */
  readonly durationMs: number;
}

export const NO_OTHERS: OtherTests = { lost: new Map(), kept: [], redBefore: [], unrun: [], durationMs: 0 };

/** Test files that are to be asked, and that the change did not touch. */
export function otherFiles(work: Judging): readonly string[] {
  const { change, commands, related } = work;
  const untouched = [...change.headFiles.keys()].filter(
    (path) =>
      isTestFile(path, commands.runner) &&
      change.baseFiles.get(path) === change.headFiles.get(path) &&
      !related.has(path),
  );
  return scopeOf(untouched, scoped(work)).asked;
}

/** A sentence where it cannot be told. */
export async function otherTests(work: Judging, others: readonly string[]): Promise<OtherTests | string> {
  const { trees, log } = work;
  if (others.length === 0) return NO_OTHERS;
  log(`test files that the change did not touch: ${others.length}`);
  const [base, head] = await Promise.all([
    run(work, trees.base, { files: others }),
    run(work, trees.head, { files: others }),
  ]);
  if (!base.trusted) return `The other tests cannot be judged on the base: ${base.problem}${NARROWER}`;
  if (!head.trusted) return `The other tests cannot be judged on the head: ${head.problem}${NARROWER}`;
  const expected = [...base.results].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [id] : []));
  const kept = expected.filter((id) => passes(head, id));
  const lost = await lostIn(
    work,
    others,
    expected.filter((id) => !passes(head, id)),
  );
  const redBefore = [...base.results].flatMap(([id, { outcome }]) => (isRed(outcome) ? [id] : []));
  const unrun = [...base.broken].map(([file, why]) => {
    return { file, reason: firstLine(why), alsoWith: head.broken.has(file) };
  });
  return typeof lost === 'string' ? lost : { lost, kept, redBefore, unrun, durationMs: head.durationMs };
}

const isRed = (outcome: Outcome): boolean => outcome === 'fail' || outcome === 'load-error';

const NARROWER = ' (`--tests GLOB` names those that can run here; the others are then not asked, which is said)';

const passes = ({ results }: TestRun, id: string): boolean => results.get(id)?.outcome === 'pass';

/** Those that do not pass a second time either, with what they said: a change is not blamed for a test that is now red and now green. */
async function lostIn(
  work: Judging,
  files: readonly string[],
  missed: readonly string[],
): Promise<ReadonlyMap<string, string> | string> {
  if (missed.length === 0) return new Map();
  work.log(`${missed.length} of their tests pass on the base and not on the head: they are run again`);
  const again = await run(work, work.trees.head, { files, expected: missed });
  if (!again.trusted) return `The other tests cannot be judged on the head: ${again.problem}`;
  const lost = missed.filter((id) => !passes(again, id));
  return new Map(lost.map((id) => [id, firstLine(again.results.get(id)?.message ?? 'it was not reported')]));
}
