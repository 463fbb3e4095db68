/** Proves requirements: each test's outcome on the base, on the head, with the change taken back, and with faults in the product. */
import { isTestPath } from '../guard/test-paths.ts';
import type { EvidenceRow, FrozenTests, Outcome } from '../loop/brief.ts';
import { hasAssertion } from './assertions.ts';
import { type Bench, runShell } from './environment.ts';
import { changeVerdict, keepVerdict, metricVerdict } from './evidence-verdict.ts';
import { metricsOf } from './metric.ts';
import { loadsIn, type MutationFound, type MutationRequest, mutationTurnsRed, placesOf } from './mutation-run.ts';
import { runTests, type TestRun } from './test-run.ts';
import { layTests, onTreeCopy, revertPaths, type Trees } from './trees.ts';

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

type FrozenTest = FrozenTests['tests'][number];
type Requirement = Bench['brief']['requirements'][number];
interface Work extends EvidenceRequest {
  readonly tests: FrozenTests;
  readonly baseRun: TestRun;
  readonly headRun: TestRun;
  readonly notes: string[];
}

type Where = Pick<MutationRequest, 'groups' | 'isFirstNeeded'>;

const LEAST_MUTATION_MS = 3000;

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
  const work: Work = { ...request, tests, baseRun, headRun, notes: [] };
  const rows: EvidenceRow[] = [];
  for (const requirement of requirements) {
    if (requirement.kind !== 'metric') rows.push(...(await testRows(work, requirement)));
  }
  const raw = ['--- base', work.baseRun.raw, '--- head', work.headRun.raw, ...work.notes, JSON.stringify(rows)];
  return { rows: [...rows, ...metrics], raw: raw.join('\n') };
}

/** Runs frozen tests in a tree, as they were frozen. With `only`, these; a file is run whole. With `mostMs`, it may take no longer than that. */
export async function runFrozen(
  { brief, environment }: Bench,
  directory: string,
  tests: FrozenTests,
  { only = tests.tests, mostMs }: { readonly only?: readonly FrozenTest[]; readonly mostMs?: number } = {},
): Promise<TestRun> {
  const { commandTimeoutMs, outputBytes } = brief.limits;
  const timeoutMs = Math.min(commandTimeoutMs, mostMs ?? commandTimeoutMs);
  const files = [...new Set(only.map(({ file }) => file))];
  const { runner } = brief.commands;
  await layTests(directory, tests);
  return runTests({
    sandbox: environment.sandbox,
    directory,
    runner,
    files,
    expected: only.map(idOf),
    timeoutMs,
    outputBytes,
  });
}

/** The id of a test in results and evidence. */
export function idOf({ file, name }: Pick<FrozenTest, 'file' | 'name'>): string {
  return `${file}::${name}`;
}

/** Requirements for which something is missing: no row, a row that is not proven, or no acceptance row. */
export function gapsOf(brief: Bench['brief'], rows: readonly EvidenceRow[]): readonly Requirement[] {
  return brief.requirements.filter(({ id }) => {
    const own = rows.filter(({ requirement }) => requirement === id);
    const hasAcceptance = brief.acceptance.some(({ requirement }) => requirement === id);
    return own.length === 0 || own.some(({ proven }) => !proven) || !hasAcceptance;
  });
}

async function testRows(work: Work, requirement: Requirement): Promise<readonly EvidenceRow[]> {
  const own = work.tests.tests.filter((test) => test.requirement === requirement.id);
  if (own.length === 0) return [withoutTest(requirement)];
  return requirement.kind === 'change' ? changeRows(work, requirement, own) : keepRows(work, requirement, own);
}

async function changeRows(
  work: Work,
  requirement: Requirement,
  own: readonly FrozenTest[],
): Promise<readonly EvidenceRow[]> {
  const reverted = await revertedRun(work, requirement, own);
  const rows: EvidenceRow[] = [];
  for (const test of own) {
    const withoutChange = reverted?.results.get(idOf(test))?.outcome ?? 'not-run';
    const start = { ...startOf(work, test), reverted: withoutChange };
    const isRight = changeVerdict({ ...start, mutated: 'not-run' }).proven;
    const found = isRight ? await mutate(work, test, placesOfChange(work, requirement)) : undefined;
    const outcomes = { ...start, mutated: found?.outcome ?? 'not-run' } as const;
    const { proven, reason } = changeVerdict(outcomes);
    const tried = found === undefined || found.outcome === 'not-run' ? '' : ` (${found.detail})`;
    const said = `${reason}${isRight ? tried : messageFor(work, test, outcomes)}`;
    rows.push(rowOf(requirement, test, { ...outcomes, proven, reason: said }));
  }
  return rows;
}

/** The head with the product files of the requirement's tasks as they are on the base. */
async function revertedRun(
  work: Work,
  requirement: Requirement,
  own: readonly FrozenTest[],
): Promise<TestRun | undefined> {
  const files = taskFiles(work, requirement.id);
  if (files.length === 0) return undefined;
  const run = await onTreeCopy(work.bench, work.trees.head, async (copy) => {
    await revertPaths(work.bench, copy, files);
    return runFrozen(work.bench, copy, work.tests, { only: own });
  });
  work.notes.push(`--- reverted for ${requirement.id}: ${files.join(', ')}`, run.raw);
  return run;
}

async function keepRows(
  work: Work,
  requirement: Requirement,
  own: readonly FrozenTest[],
): Promise<readonly EvidenceRow[]> {
  const rows: EvidenceRow[] = [];
  const groups = [placesOf(taskFiles(work, requirement.id)), work.changedLines, placesOf(productOf(work))];
  for (const test of own) {
    const start = startOf(work, test);
    const isWorthIt = start.asserts && start.base === 'pass' && start.head === 'pass';
    const found = isWorthIt ? await mutate(work, test, { groups }) : undefined;
    const outcomes = { ...start, reverted: 'not-run', mutated: found?.outcome ?? 'not-run' } as const;
    const { proven, reason } = keepVerdict(outcomes);
    const detail = found === undefined ? messageFor(work, test, outcomes) : ` (${found.detail})`;
    rows.push(rowOf(requirement, test, { ...outcomes, proven, reason: `${reason}${detail}` }));
  }
  return rows;
}

/** What the requirement's own tasks changed comes first; the rest of the change is tried too, because a list of files may lack one. */
function placesOfChange(work: Work, requirement: Requirement): Where {
  const files = new Set(taskFiles(work, requirement.id));
  const own = new Map([...work.changedLines].filter(([path]) => files.has(path)));
  return { groups: [own, work.changedLines], isFirstNeeded: true };
}

function productOf({ bench, trees }: Work): readonly string[] {
  const { runner } = bench.brief.commands;
  return [...trees.headFiles.keys()].filter((path) => !isTestPath(path, runner) && !path.startsWith('.loopwright/'));
}

async function mutate(work: Work, test: FrozenTest, where: Where): Promise<MutationFound> {
  const { bench, trees, tests, headRun } = work;
  // A run that takes far longer than the head's hangs; that proves nothing, and the next fault is tried.
  const mostMs = Math.max(LEAST_MUTATION_MS, headRun.durationMs * 5);
  const found = await onTreeCopy(bench, trees.head, (copy) =>
    mutationTurnsRed({
      ...where,
      tree: copy,
      product: new Set(productOf(work)),
      now: bench.environment.now,
      loads: (path) => loadsIn(bench, copy, path),
      outcome: async () => {
        if (!(await builds(bench, copy))) return 'load-error';
        const run = await runFrozen(bench, copy, tests, { only: [test], mostMs });
        return run.results.get(idOf(test))?.outcome ?? 'not-run';
      },
    }),
  );
  work.notes.push(`--- mutations for ${idOf(test)}: ${found.detail}`);
  return found;
}

/** Tests may look at what is built only. */
async function builds(bench: Bench, tree: string): Promise<boolean> {
  const { build } = bench.brief.commands;
  return build === null || (await runShell(bench, build, tree)).exitCode === 0;
}

function startOf({ baseRun, headRun, tests }: Work, test: FrozenTest) {
  const outcomeIn = (run: TestRun): Outcome => run.results.get(idOf(test))?.outcome ?? 'not-run';
  const content = tests.files.find(({ path }) => path === test.file)?.content ?? '';
  return { base: outcomeIn(baseRun), head: outcomeIn(headRun), asserts: hasAssertion(content, test.name) };
}

/** What the runner said where the outcome was not the wanted one; expected and actual values are in it. */
function messageFor(
  work: Work,
  test: FrozenTest,
  { base, head }: { readonly base: Outcome; readonly head: Outcome },
): string {
  const run = head !== 'pass' ? work.headRun : base !== 'pass' && base !== 'fail' ? work.baseRun : undefined;
  const message = run?.results.get(idOf(test))?.message;
  return message === undefined || message === '' ? '' : `: ${message}`;
}

function taskFiles({ bench }: Work, requirement: string): readonly string[] {
  const { tasks, commands } = bench.brief;
  const files = tasks.filter(({ requirements }) => requirements.includes(requirement)).flatMap((task) => task.files);
  return [...new Set(files)].filter((path) => !isTestPath(path, commands.runner));
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
  const { base, head, reverted, mutated, proven, reason } = judged;
  const outcomes = { base, head, reverted, mutated, value: null, proven, reason };
  return { requirement: id, kind, test: test === undefined ? '' : idOf(test), ...outcomes };
}
