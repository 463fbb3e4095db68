/** Proves requirements: each test's outcome on the base, on the head, with the change taken back, and with faults in the product. */
import type { EvidenceRow, FrozenTests, Outcome } from '../../loop/brief.ts';
import { thresholdOf } from '../../loop/gates.ts';
import { type RequirementStrength, type Strength, shareOf } from '../../loop/strength.ts';
import { hasAssertion } from '../../rules/assertions.ts';
import { RUNNERS } from '../../runners/runners.ts';
import { both, inParallel } from '../../test-runs/in-parallel.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import type { Bench } from '../workspace/environment.ts';
import type { Trees } from '../workspace/trees.ts';
import { type Claim, type Noticed, tryChange } from './change-faults.ts';
import { changeVerdict, keepVerdict, metricVerdict } from './evidence-verdict.ts';
import { type FrozenTest, idOf } from './frozen-run.ts';
import { type Guarded, tryKept } from './keep-faults.ts';
import { metricsOf } from './metric.ts';
import { isCode, taskFiles } from './product-code.ts';
import type { KeptTests } from './regressions.ts';
import { revertedRun } from './reverted.ts';
import { type Work, workers } from './trial.ts';

export interface EvidenceRequest {
  readonly bench: Bench;
  readonly trees: Trees;
  readonly tests: FrozenTests | undefined;
  /** The frozen tests' runs on base and head; undefined where there are none. */
  readonly runs: { readonly base: TestRun; readonly head: TestRun } | undefined;
  /** Numbers measured in this entry, by metric name. */
  readonly values: ReadonlyMap<string, number>;
  /** Lines of the head that the candidate added, by file. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Existing tests, which may notice faults too. */
  readonly kept: KeptTests;
}

export interface Evidence {
  readonly rows: readonly EvidenceRow[];
  /** Of each change in which faults were made. */
  readonly strengths: readonly RequirementStrength[];
  readonly raw: string;
}

type Requirement = Bench['brief']['requirements'][number];
interface Judging extends Work {
  readonly baseRun: TestRun;
}

/** One row per requirement and test; a requirement without a test or number has a row that says so and proves nothing. */
export async function proveRequirements(request: EvidenceRequest): Promise<Evidence> {
  const { bench, tests, runs } = request;
  const { requirements } = bench.brief;
  const metrics = metricRows(request);
  if (tests === undefined || runs === undefined) {
    const rows = requirements.filter(({ kind }) => kind !== 'metric').map((requirement) => withoutTest(requirement));
    return { rows: [...rows, ...metrics], strengths: [], raw: 'there are no frozen tests' };
  }
  const work: Judging = { ...request, tests, baseRun: runs.base, headRun: runs.head, notes: [] };
  const [{ changes, noticed }, kept] = await both(
    () => triedChanges(work),
    () => triedKept(work),
    workers(work),
  );
  const rows = requirements
    .filter(({ kind }) => kind !== 'metric')
    .flatMap((requirement) => {
      const shown = changes.find((change) => change.requirement === requirement);
      if (testsFor(work, requirement).length === 0) return [withoutTest(requirement)];
      return shown === undefined
        ? keepRows(work, requirement, kept.get(requirement))
        : changeRows(work, shown, noticed.get(requirement.id));
    });
  const strengths = [...noticed].map(([requirement, { strength }]) => ({
    requirement,
    weak: isWeak(bench.brief, strength),
    ...strength,
  }));
  const told = RUNNERS[bench.brief.commands.runner].trust === 'told' ? ({ trust: 'told' } as const) : {};
  const raw = ['--- base', work.baseRun.raw, '--- head', work.headRun.raw, ...work.notes, JSON.stringify(rows)];
  return { rows: [...rows.map((row) => ({ ...row, ...told })), ...metrics], strengths, raw: raw.join('\n') };
}

/** What is known of the requirements of kind change, and what their tests did with faults. */
async function triedChanges(work: Judging) {
  const changes = await shownChanges(work);
  const keeping = keepRequirements(work).flatMap((requirement) => keptTests(work, requirement));
  const claims = changes.flatMap((shown) => claimOf(work, shown));
  return { changes, noticed: await tryChange(work, claims, keeping) };
}

/** By requirement of kind keep, what its tests did with faults; undefined where it has no test to ask. */
async function triedKept(work: Judging): Promise<ReadonlyMap<Requirement, Guarded | undefined>> {
  const guarded = new Map<Requirement, Guarded | undefined>();
  for (const requirement of keepRequirements(work)) {
    const asked = keptTests(work, requirement);
    guarded.set(requirement, asked.length === 0 ? undefined : await tryKept(work, requirement.id, asked));
  }
  return guarded;
}

function keepRequirements({ bench }: Judging): readonly Requirement[] {
  return ofKind(bench.brief.requirements, 'keep');
}

function keptTests(work: Judging, requirement: Requirement): readonly FrozenTest[] {
  return testsFor(work, requirement).filter((test) => isKept(startOf(work, test)));
}

function isWeak({ thresholds }: Bench['brief'], strength: Strength): boolean {
  const wanted = thresholdOf({ phase: 'VERIFY', name: 'mutation_score' }, thresholds) ?? 1;
  return (shareOf(strength) ?? 1) < wanted;
}

function testsFor({ tests }: Judging, { id }: Requirement): readonly FrozenTest[] {
  return tests.tests.filter(({ requirement }) => requirement === id);
}

/** Requirements for which something is missing: no row, a row that is not proven, or no acceptance row. */
export function gapsOf(brief: Bench['brief'], rows: readonly EvidenceRow[]): readonly Requirement[] {
  return brief.requirements.filter(({ id }) => {
    const own = rows.filter(({ requirement }) => requirement === id);
    const hasAcceptance = brief.acceptance.some(({ requirement }) => requirement === id);
    return own.length === 0 || own.some(({ proven }) => !proven) || !hasAcceptance;
  });
}

/** What is known of a requirement before a fault is made. */
interface Shown {
  readonly requirement: Requirement;
  readonly tests: readonly { readonly test: FrozenTest; readonly start: Start; readonly isAsked: boolean }[];
}
type Start = ReturnType<typeof startOf> & { readonly reverted: Outcome };

function shownChanges(work: Judging): Promise<readonly Shown[]> {
  const changes = ofKind(work.bench.brief.requirements, 'change');
  return inParallel(changes, (requirement) => shownBy(work, requirement, testsFor(work, requirement)), workers(work));
}

function ofKind(requirements: readonly Requirement[], wanted: Requirement['kind']): readonly Requirement[] {
  return requirements.filter(({ kind }) => kind === wanted);
}

async function shownBy(work: Judging, requirement: Requirement, own: readonly FrozenTest[]): Promise<Shown> {
  const files = taskFiles(work, requirement.id);
  const code = files.filter(isCode);
  const withoutChange = await revertedRun(work, { own, files });
  const withoutCode = code.length === files.length ? withoutChange : await revertedRun(work, { own, files: code });
  const tests = own.map((test) => {
    const start = { ...startOf(work, test), reverted: outcomeIn(withoutChange, test) };
    const isRight = changeVerdict({ ...start, mutated: 'not-run' }).proven;
    // A test that passes without the code looks at something in which no fault can be made.
    return { test, start, isAsked: isRight && code.length > 0 && outcomeIn(withoutCode, test) !== 'pass' };
  });
  return { requirement, tests };
}

function claimOf(work: Judging, { requirement, tests }: Shown): readonly Claim[] {
  const asked = tests.filter(({ isAsked }) => isAsked).map(({ test }) => test);
  return asked.length === 0
    ? []
    : [{ requirement: requirement.id, files: taskFiles(work, requirement.id), tests: asked }];
}

/** The requirement is shown by all its tests together: one of them has to notice a fault, not each. */
function changeRows(
  work: Judging,
  { requirement, tests }: Shown,
  noticed: Noticed | undefined,
): readonly EvidenceRow[] {
  return tests.map(({ test, start, isAsked }) => {
    const tried = isAsked ? noticed : undefined;
    const mutated: Outcome = tried === undefined ? 'not-run' : tried.fault === undefined ? 'pass' : 'fail';
    const { proven, reason } = changeVerdict({ ...start, mutated });
    const detail = tried === undefined ? messageFor(work, test, start) : ` (${tried.detail})`;
    const outcomes = { ...start, mutated, ...faultOf(tried?.fault) };
    return rowOf(requirement, test, { ...outcomes, proven, reason: `${reason}${detail}` });
  });
}

function faultOf(fault: string | undefined): Pick<EvidenceRow, 'fault'> {
  return fault === undefined ? {} : { fault };
}

function keepRows(work: Judging, requirement: Requirement, guarded: Guarded | undefined): readonly EvidenceRow[] {
  return testsFor(work, requirement).map((test) => {
    const start = startOf(work, test);
    const tried = isKept(start) ? guarded : undefined;
    const mutated = tried?.isTried !== true ? 'not-run' : tried.fault === undefined ? 'pass' : 'fail';
    const outcomes = { ...start, reverted: 'not-run', mutated, ...faultOf(tried?.fault) } as const;
    const { proven, reason } = keepVerdict(outcomes);
    const detail = tried === undefined ? messageFor(work, test, outcomes) : ` (${tried.detail})`;
    return rowOf(requirement, test, { ...outcomes, proven, reason: `${reason}${detail}` });
  });
}

function isKept({ asserts, base, head }: ReturnType<typeof startOf>): boolean {
  return asserts && base === 'pass' && head === 'pass';
}

function startOf({ baseRun, headRun, tests }: Judging, test: FrozenTest) {
  const content = tests.files.find(({ path }) => path === test.file)?.content ?? '';
  return { base: outcomeIn(baseRun, test), head: outcomeIn(headRun, test), asserts: hasAssertion(content, test.name) };
}

function outcomeIn(run: TestRun | undefined, test: FrozenTest): Outcome {
  return run?.results.get(idOf(test))?.outcome ?? 'not-run';
}

/** What the runner said where the outcome was not the wanted one; expected and actual values are in it. */
function messageFor(
  work: Judging,
  test: FrozenTest,
  { base, head }: { readonly base: Outcome; readonly head: Outcome },
): string {
  const run = head !== 'pass' ? work.headRun : base !== 'pass' && base !== 'fail' ? work.baseRun : undefined;
  const message = run?.results.get(idOf(test))?.message;
  return message === undefined || message === '' ? '' : `: ${message}`;
}

function metricRows({ bench, values }: EvidenceRequest): readonly EvidenceRow[] {
  const metrics = metricsOf(bench.brief);
  return bench.brief.requirements
    .filter(({ kind }) => kind === 'metric')
    .map((requirement) => {
      const metric = metrics.get(requirement.id);
      const value = values.get(metric?.name ?? '');
      const none = { ...NOWHERE, ...metricVerdict(metric, value) };
      return { ...rowOf(requirement, undefined, none), test: metric?.name ?? '', value: value ?? null };
    });
}

const NOWHERE = { base: 'not-run', head: 'not-run', reverted: 'not-run', mutated: 'not-run' } as const;

function withoutTest(requirement: Requirement): EvidenceRow {
  return rowOf(requirement, undefined, { ...NOWHERE, proven: false, reason: 'it has no frozen test' });
}

type Judged = Omit<EvidenceRow, 'requirement' | 'kind' | 'test' | 'value'>;

function rowOf({ id, kind }: Requirement, test: FrozenTest | undefined, judged: Judged): EvidenceRow {
  const { base, head, reverted, mutated, fault, proven, reason } = judged;
  const outcomes = { base, head, reverted, mutated, value: null, proven, reason };
  return {
    requirement: id,
    kind,
    test: test === undefined ? '' : idOf(test),
    ...outcomes,
    ...(fault === undefined ? {} : { fault }),
  };
}
