/** Proves requirements: each test's outcome on the base, on the head, with the change taken back, and with faults in the product. */
import type { EvidenceRow, FrozenTests, Outcome } from '../../loop/brief.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import type { Bench } from '../workspace/environment.ts';
import type { Trees } from '../workspace/trees.ts';
import { hasAssertion } from './assertions.ts';
import { mutate, placesOfChange, productOf, revertedRun, taskFiles, type Work } from './counter-checks.ts';
import { changeVerdict, keepVerdict, metricVerdict } from './evidence-verdict.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import { metricsOf } from './metric.ts';
import { isMutable } from './mutation.ts';
import { type MutationFound, placesOf } from './mutation-run.ts';

export interface EvidenceRequest {
  readonly bench: Bench;
  readonly trees: Trees;
  readonly tests: FrozenTests | undefined;
  /** The frozen tests' run on the head, where there was one already. */
  readonly headRun: TestRun | undefined;
  /** Numbers measured in this entry, by metric name. */
  readonly values: ReadonlyMap<string, number>;
  /** Lines of the head that the candidate added, by file. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
}

export interface Evidence {
  readonly rows: readonly EvidenceRow[];
  readonly raw: string;
}

type Requirement = Bench['brief']['requirements'][number];
interface Judging extends Work {
  readonly baseRun: TestRun;
}

/** One row per requirement and test; a requirement without a test or number has a row that says so and proves nothing. */
export async function proveRequirements(request: EvidenceRequest): Promise<Evidence> {
  const { bench, tests, trees } = request;
  const { requirements } = bench.brief;
  const metrics = metricRows(request);
  if (tests === undefined) {
    const rows = requirements.filter(({ kind }) => kind !== 'metric').map((requirement) => withoutTest(requirement));
    return { rows: [...rows, ...metrics], raw: 'there are no frozen tests' };
  }
  const baseRun = await runFrozen(bench, trees.base, tests);
  const headRun = request.headRun ?? (await runFrozen(bench, trees.head, tests));
  const work: Judging = { ...request, tests, baseRun, headRun, notes: [] };
  const rows: EvidenceRow[] = [];
  for (const requirement of requirements) {
    if (requirement.kind !== 'metric') rows.push(...(await testRows(work, requirement)));
  }
  const raw = ['--- base', work.baseRun.raw, '--- head', work.headRun.raw, ...work.notes, JSON.stringify(rows)];
  return { rows: [...rows, ...metrics], raw: raw.join('\n') };
}

/** Requirements for which something is missing: no row, a row that is not proven, or no acceptance row. */
export function gapsOf(brief: Bench['brief'], rows: readonly EvidenceRow[]): readonly Requirement[] {
  return brief.requirements.filter(({ id }) => {
    const own = rows.filter(({ requirement }) => requirement === id);
    const hasAcceptance = brief.acceptance.some(({ requirement }) => requirement === id);
    return own.length === 0 || own.some(({ proven }) => !proven) || !hasAcceptance;
  });
}

async function testRows(work: Judging, requirement: Requirement): Promise<readonly EvidenceRow[]> {
  const own = work.tests.tests.filter((test) => test.requirement === requirement.id);
  if (own.length === 0) return [withoutTest(requirement)];
  return requirement.kind === 'change' ? changeRows(work, requirement, own) : keepRows(work, requirement, own);
}

async function changeRows(
  work: Judging,
  requirement: Requirement,
  own: readonly FrozenTest[],
): Promise<readonly EvidenceRow[]> {
  const files = taskFiles(work, requirement.id);
  const code = files.filter(isMutable);
  const withoutChange = await revertedRun(work, { own, files });
  const withoutCode = code.length === files.length ? withoutChange : await revertedRun(work, { own, files: code });
  const rows: EvidenceRow[] = [];
  for (const test of own) {
    const start = { ...startOf(work, test), reverted: outcomeIn(withoutChange, test) };
    const isRight = changeVerdict({ ...start, mutated: 'not-run' }).proven;
    // A test that passes without the code looks at something in which no fault can be made.
    const missesCode = code.length > 0 && outcomeIn(withoutCode, test) !== 'pass';
    const found = isRight && missesCode ? await mutate(work, test, placesOfChange(work, requirement)) : NOT_MUTATED;
    const outcomes = { ...start, mutated: found.outcome };
    const { proven, reason } = changeVerdict(outcomes);
    const detail = isRight ? triedOf(found) : messageFor(work, test, outcomes);
    rows.push(rowOf(requirement, test, { ...outcomes, ...faultOf(found), proven, reason: `${reason}${detail}` }));
  }
  return rows;
}

const NOT_MUTATED: MutationFound = { outcome: 'not-run', detail: '' };

function faultOf({ fault }: MutationFound): Pick<EvidenceRow, 'fault'> {
  return fault === undefined ? {} : { fault };
}

function triedOf({ outcome, detail }: MutationFound): string {
  return outcome === 'not-run' ? '' : ` (${detail})`;
}

async function keepRows(
  work: Judging,
  requirement: Requirement,
  own: readonly FrozenTest[],
): Promise<readonly EvidenceRow[]> {
  const rows: EvidenceRow[] = [];
  const groups = [placesOf(taskFiles(work, requirement.id)), work.changedLines, placesOf(productOf(work))];
  for (const test of own) {
    const start = startOf(work, test);
    const isWorthIt = start.asserts && start.base === 'pass' && start.head === 'pass';
    const found = isWorthIt ? await mutate(work, test, { groups }) : NOT_MUTATED;
    const outcomes = { ...start, reverted: 'not-run', mutated: found.outcome } as const;
    const { proven, reason } = keepVerdict(outcomes);
    const detail = isWorthIt ? ` (${found.detail})` : messageFor(work, test, outcomes);
    rows.push(rowOf(requirement, test, { ...outcomes, ...faultOf(found), proven, reason: `${reason}${detail}` }));
  }
  return rows;
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
