/** The BUILD job: tests first, then code task by task, then numbers and reviews. Nothing is believed, everything measured. */

import type { Task } from '../../documents/documents.ts';
import { conflictDefect } from '../../guard/merge-changes.ts';
import type { Brief, BuildReport, FrozenTests } from '../../loop/brief.ts';
import { TEST_DESIGN, UNNOTICED } from '../../loop/defect.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { openRepository } from '../../trees/repository.ts';
import { failureOf, reportedOn } from '../report/report-facts.ts';
import { applyPrevious } from '../workspace/earlier-work.ts';
import { type Bench, type JobEnvironment, measured } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { attemptDefects } from './attempts.ts';
import { frozenTestsOf } from './design.ts';
import { type Measured, measure } from './measure.ts';
import { beginProgress } from './progress.ts';
import { requireSkills } from './prompt.ts';
import { type Review, review } from './review.ts';
import { type Settled, settle, withoutRetired } from './settle.ts';
import { affectedTasks, inOrder, workOn } from './task-work.ts';

type Outcome = Pick<
  BuildReport,
  'tests' | 'changes' | 'unfinished' | 'unchanged' | 'measurements' | 'defects' | 'failure'
>;

const NEEDED_SKILLS = [
  'test-designer',
  'incremental-implementation',
  'security-and-hardening',
  'requesting-code-review',
] as const;

/** Builds a candidate and reports it. Expected failures (model, install, sandbox) are the report's `failure`, with the calls that were made. */
export async function build(brief: Brief, environment: JobEnvironment): Promise<BuildReport> {
  return { kind: 'build', ...(await reportedOn(brief, environment, outcomeOf)) };
}

const NOTHING: Omit<Outcome, 'failure'> = { tests: null, changes: [], unfinished: [], measurements: [], defects: [] };

async function outcomeOf(brief: Brief, environment: JobEnvironment): Promise<Outcome> {
  try {
    const { bench, conflicts } = await prepare(brief, environment);
    const design = await frozenTestsOf(bench);
    const { tests, defects } = design;
    if (tests === undefined) return { ...NOTHING, defects: [...conflicts, ...defects], failure: null };
    const outcome = await built(bench, tests, conflicts);
    return { ...outcome, defects: [...outcome.defects, ...defects, ...attemptDefects(bench)] };
  } catch (error) {
    return { ...NOTHING, failure: failureOf(error, environment) };
  }
}

/** Works on the tasks, then measures. A failure keeps the frozen tests and the tasks that came to their end before it. */
async function built(bench: Bench, tests: FrozenTests, conflicts: readonly Defect[]): Promise<Outcome> {
  const { brief, environment } = bench;
  const agenda = agendaOf(brief, tests, conflicts);
  const progress = await beginProgress(bench, agenda.tasks);
  const failed = agenda.isJudged ? await settle(bench, tests) : undefined;
  try {
    const endings: Defect[] = [];
    for (const task of progress.open()) {
      const ending = await workOn(bench, { tests, task, feedback: agenda.feedback, revision: 0 });
      endings.push(...ending);
      if (ending.length === 0) await progress.finish(task);
    }
    const unchanged = failed === undefined ? undefined : await unchangedSince(failed, bench, tests);
    if (unchanged !== undefined) return { ...NOTHING, tests, ...unchanged, failure: null };
    if (agenda.isAboutTests) endings.push(...(await workOnRed(bench, tests)));
    const { defects, ...measurements } = await reviewed(bench, tests, endings);
    return { tests, unfinished: [], ...measurements, defects: [...conflicts, ...defects], failure: null };
  } catch (error) {
    const failure = failureOf(error, environment);
    return { ...NOTHING, tests, ...(await progress.rest(tests)), defects: [...conflicts], failure };
  }
}

interface Agenda {
  readonly tasks: readonly Task[];
  /** What the builder has to mend. */
  readonly feedback: readonly Defect[];
  /** Nothing is known against the product: only its tests did not look closely enough. */
  readonly isAboutTests: boolean;
  /** The product and its tests are what was judged and failed. */
  readonly isJudged: boolean;
}

function agendaOf(brief: Brief, tests: FrozenTests, conflicts: readonly Defect[]): Agenda {
  const { previous, defects } = brief;
  const feedback = [...defects.filter(({ rule }) => !OF_TESTS.has(rule)), ...conflicts];
  const isAboutTests = feedback.length === 0 && defects.length > 0;
  return {
    feedback,
    isAboutTests,
    tasks: isAboutTests ? [] : tasksToDo(brief, feedback),
    isJudged: previous?.failed === true && previous.tests?.digest === tests.digest,
  };
}

/** What only the test designer can mend. */
const OF_TESTS: ReadonlySet<string> = new Set([UNNOTICED, TEST_DESIGN]);

/** The builder is asked only where a further test is red: it noticed what those before it did not. */
async function workOnRed(bench: Bench, tests: FrozenTests): Promise<readonly Defect[]> {
  const { green, defects } = await measure(bench, tests);
  if (green) return [];
  const endings: Defect[] = [];
  for (const task of inOrder(affectedTasks(bench.brief.tasks, defects)))
    endings.push(...(await workOn(bench, { tests, task, feedback: defects, revision: 0 })));
  return endings;
}

/** What failed, where it is file for file what the builder leaves: before reviewers and the seed's maker are asked about it again. */
async function unchangedSince(
  failed: Settled,
  bench: Bench,
  tests: FrozenTests,
): Promise<Pick<Outcome, 'changes' | 'unchanged'> | undefined> {
  const settled = await settle(bench, tests);
  const isSame = failed.refused.length + settled.refused.length === 0 && textOf(failed) === textOf(settled);
  if (isSame) bench.environment.log('the builder changed nothing of what was judged and failed');
  return isSame ? { changes: [...settled.changes], unchanged: true } : undefined;
}

function textOf({ changes }: Settled): string {
  return JSON.stringify(changes.toSorted((left, right) => (left.path < right.path ? -1 : 1)));
}

async function prepare(
  brief: Brief,
  environment: JobEnvironment,
): Promise<{ readonly bench: Bench; readonly conflicts: readonly Defect[] }> {
  requireSkills(brief, NEEDED_SKILLS);
  const repository = await openRepository(environment.workspace, environment.scratch);
  const bench: Bench = { brief, environment, repository, attempts: new Map(), packages: new Map() };
  const conflicts = (await applyPrevious(repository, brief)).map(conflictDefect);
  for (const { message } of conflicts) environment.log(message);
  const retired = await withoutRetired(bench);
  await install(bench, environment.workspace, { isUntouched: brief.previous === null, isWorkedOn: true });
  return { bench: { ...bench, brief: { ...brief, retired } }, conflicts };
}

/** All tasks as long as nothing was built; later those that a failure left undone, and those that the open defects are about. */
function tasksToDo({ previous, tasks }: Brief, defects: readonly Defect[]): readonly Task[] {
  if (previous === null || previous.tests === null || previous.changes.length === 0) return inOrder(tasks);
  const { unfinished } = previous;
  const affected = unfinished.length > 0 && defects.length === 0 ? [] : affectedTasks(tasks, defects);
  return inOrder(tasks).filter((task) => affected.includes(task) || unfinished.includes(task.id));
}

/** Measures, has it reviewed when it is green, and lets the builder answer the reviewers as often as the limit allows. */
async function reviewed(
  bench: Bench,
  tests: FrozenTests,
  begun: readonly Defect[],
): Promise<Pick<Outcome, 'changes' | 'measurements' | 'defects'>> {
  const { brief } = bench;
  const unfinished = [...begun];
  const reviews: Review[] = [];
  let state = await measure(bench, tests);
  while (state.green && !isSettled(reviews, brief.limits.reviewRevisions)) {
    const verdict = await review(bench, tests, state.diff);
    reviews.push(verdict);
    if (isSettled(reviews, brief.limits.reviewRevisions)) break;
    for (const task of inOrder(affectedTasks(brief.tasks, verdict.defects)))
      unfinished.push(
        ...(await workOn(bench, { tests, task, feedback: verdict.defects, revision: revisionsOf(reviews) })),
      );
    state = await measure(bench, tests);
  }
  return summary(bench, state, { reviews, unfinished });
}

/** The reviewers approved, or sent it back more often than the limit allows. */
function isSettled(reviews: readonly Review[], limit: number): boolean {
  const last = reviews.at(-1);
  return last !== undefined && (!last.revise || revisionsOf(reviews) > limit);
}

function revisionsOf(reviews: readonly Review[]): number {
  return reviews.filter(({ revise }) => revise).length;
}

async function summary(
  bench: Bench,
  state: Measured,
  { reviews, unfinished }: { readonly reviews: readonly Review[]; readonly unfinished: readonly Defect[] },
) {
  const last = reviews.at(-1);
  // What the reviewers let pass with a remark is told too: people read it in the pull request.
  const open: readonly Defect[] = last?.defects ?? [];
  const causes = state.green && last?.revise !== true ? [] : unfinished;
  return {
    changes: [...state.settled.changes],
    measurements: [...state.measurements, ...(await revisionMeasurement(bench, reviews))],
    defects: [...causes, ...state.defects, ...open],
  };
}

/** Without a review there is no number, and without the number the gate blocks. */
async function revisionMeasurement(bench: Bench, reviews: readonly Review[]): Promise<readonly Measurement[]> {
  if (reviews.length === 0) return [];
  const measurement = await measured(bench.environment, {
    name: 'review_revisions',
    value: revisionsOf(reviews),
    unit: 'count',
    source: 'verdicts and findings of security review and code review',
    output: JSON.stringify(
      reviews.map(({ revise, security, code }) => ({ revise, security, code })),
      null,
      1,
    ),
  });
  return [measurement];
}
