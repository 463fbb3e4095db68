/** Proves a change by its own tests: no model, no plan, only commits, a runner and a sandbox. */
import { posix } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isTestFile } from '../guard/test-paths.ts';
import { scopeOf } from '../guard/test-scope.ts';
import { withoutWaiver } from '../guard/waivers.ts';
import { RUNNERS } from '../runners/runners.ts';
import { both, inParallel } from '../test-runs/in-parallel.ts';
import type { TestRun } from '../test-runs/test-run.ts';
import { textsIn } from '../trees/repository.ts';
import { built } from './build.ts';
import { type Change, changeOf } from './change.ts';
import { findingsOf } from './findings.ts';
import { type Judging, type ProofRequest, run, scoped } from './judging.ts';
import { assertionsIn, loosened } from './loosened.ts';
import { NO_OTHERS, type OtherTests, otherFiles, otherTests } from './other-tests.ts';
import type { Proof, ProofRow } from './proof.ts';
import { layProofTrees, type ProofTrees } from './proof-trees.ts';
import { meantBy, requirementProofs, withRequirements } from './requirements.ts';
import { firstLine, proofRows, type Results, withRedBefore } from './rows.ts';
import { strengthOf } from './strength.ts';
import { takenOut } from './taken-out.ts';
import { byFile, fileOf } from './test-ids.ts';
import type { Guards } from './trial.ts';
import { unheeded } from './unheeded.ts';
import { type GroundsBefore, reasonsWithoutStrength, verdictOf } from './verdict.ts';

/** How often the head's tests are run, to see whether they are stable. */
const HEAD_RUNS = 3;

/** Lays out the trees, runs the tests on each, and says what that proves. @throws {LoopError} where a tree cannot be laid out. */
export async function prove(request: ProofRequest): Promise<Proof> {
  const startedMs = performance.now();
  const { range, repository, commands, dependencies, sandbox } = request;
  const { runner } = commands;
  const change = await changeOf(repository, range, runner);
  const trees = await layProofTrees(repository, change, dependencies);
  const unbuilt = await unbuiltIn(request, trees);
  const judged = unbuilt === undefined ? await judge({ ...request, change, trees }) : notJudged(unbuilt);
  return {
    version: 1,
    ...range,
    runner,
    trust: RUNNERS[runner].trust,
    ...judged,
    product: [...change.product],
    notAsked: scopeOf(
      [...change.headFiles.keys()].filter((path) => isTestFile(path, runner)),
      scoped(request),
    ).left.length,
    sandbox: sandbox.kind,
    durationMs: Math.round(performance.now() - startedMs),
  };
}

/** A sentence where head or base cannot be built. What one makes of the other's tests may rightly fail: the tests show it. */
async function unbuiltIn(request: ProofRequest, trees: ProofTrees): Promise<string | undefined> {
  for (const name of ['head', 'base', 'without', 'asBefore'] as const) {
    const problem = await built(request, trees[name]);
    if (problem !== undefined && (name === 'head' || name === 'base'))
      return `Nothing can be judged on the ${name}: ${problem}`;
  }
  return undefined;
}

type Judged = Pick<Proof, 'verdict' | 'reasons' | 'rows' | 'findings' | 'strength' | 'requirements' | 'notNeeded'>;

async function judge(work: Judging): Promise<Judged> {
  const { change } = work;
  const asked = await changedTests(work);
  if (typeof asked === 'string') return notJudged(asked);
  const before = await testsBefore(work);
  if (typeof before === 'string') return notJudged(before);
  const { base, asBefore, broken } = before;
  const { first } = asked;
  const unloaded = [...first.broken].find(([file]) => asked.rows.length === 0 && broken.has(file));
  if (unloaded !== undefined)
    return notJudged(
      `${unloaded[0]} can be run neither on the head nor, as it was, on the base: ${firstLine(unloaded[1])}`,
    );
  const rows = withRedBefore(asked.rows, base);
  const { product, tests } = change;
  const listed = Object.values(work.requirements ?? {});
  const onlyKeeps = listed.length > 0 && listed.every(({ kind }) => kind === 'keep');
  const shown = { product, tests, rows, broken: first.broken, onlyKeeps };
  const untouched = otherFiles(work);
  // A verdict that is clear is told at once; requirements of a list may rest on the others too.
  const isClear = listed.length === 0 && reasonsWithoutStrength({ ...shown, lost: new Map(), findings: [] }).length > 0;
  const others = isClear ? NO_OTHERS : await otherTests(work, untouched);
  if (typeof others === 'string') return notJudged(others);
  const assertsAsBefore = assertionsIn(
    await textsIn(work.repository, change.baseFiles, tests),
    await textsIn(work.repository, change.headFiles, tests),
  );
  const taken = [...takenOut(base, first.results), ...loosened({ base, asBefore, rows, assertsAsBefore })];
  const found = await findingsOf({ ...work, runner: work.commands.runner, rows });
  const passing = isClear ? [] : await unheeded(work, rows);
  const findings = [...found, ...taken, ...passing].map(withoutWaiver);
  const grounds = { ...shown, lost: others.lost, findings };
  const notNeeded = isClear ? untouched.length : 0;
  return { ...(await weighed(work, { grounds, others, first })), rows: [...rows], findings: [...findings], notNeeded };
}

interface TestsBefore {
  /** The base's tests of the changed files, on the base and with the change. */
  readonly base: Results;
  readonly asBefore: Results;
  /** Files that could not be loaded on the base, and why. */
  readonly broken: TestRun['broken'];
}

/** A sentence where they cannot be judged. */
async function testsBefore(work: Judging): Promise<TestsBefore | string> {
  const { change, trees } = work;
  const files = scopeOf(testFiles(work, change.baseFiles), scoped(work)).asked;
  if (files.length === 0) return { base: new Map(), asBefore: new Map(), broken: new Map() };
  const [base, asBefore] = await both(
    () => run(work, trees.base, { files }),
    () => run(work, trees.asBefore, { files }),
  );
  if (!base.trusted) return `The changed tests cannot be judged on the base: ${base.problem}`;
  if (!asBefore.trusted) return `${AS_BEFORE}: ${asBefore.problem}`;
  const red = [...asBefore.results].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [] : [id]));
  const { broken } = base;
  if (red.length === 0) return { base: base.results, asBefore: asBefore.results, broken };
  // What is now red and now green is no fault of the change.
  const again = await run(work, trees.asBefore, { files, expected: red });
  if (!again.trusted) return `${AS_BEFORE}: ${again.problem}`;
  const steady = [...again.results].filter(([id]) => asBefore.results.get(id)?.outcome !== 'pass');
  return { base: base.results, asBefore: new Map(steady), broken };
}

const AS_BEFORE = 'The changed tests as they were on the base cannot be judged with the change';

/** The changed files with tests that are there on one side. */
function testFiles({ change, commands }: Judging, side: Change['headFiles']): readonly string[] {
  return change.tests.filter((path) => side.has(path) && isTestFile(path, commands.runner));
}

interface ChangedTests {
  readonly rows: readonly ProofRow[];
  /** The first run on the head. */
  readonly first: TestRun;
}

/** The changed tests on the head, as often as it takes to see whether they are stable, and without the change. A sentence where they cannot be judged. */
async function changedTests(work: Judging): Promise<ChangedTests | string> {
  const { change, trees, log } = work;
  const files = scopeOf(testFiles(work, change.headFiles), scoped(work)).asked;
  log(`changed files: ${files.length} with tests, ${change.product.length} without`);
  const first = await run(work, trees.head, { files });
  if (!first.trusted) return `The changed tests cannot be judged on the head: ${first.problem}`;
  const expected = [...first.results.keys()];
  const repeats = expected.length === 0 ? 0 : HEAD_RUNS - 1;
  const later = [trees.without, ...Array.from({ length: repeats }, () => trees.head)];
  const runs = await inParallel(later, (tree) => run(work, tree, { files, expected }));
  const untrusted = runs.find(({ trusted }) => !trusted);
  if (untrusted !== undefined) return `The changed tests cannot be judged: ${untrusted.problem}`;
  const [without, ...again] = runs.map(({ results }) => results);
  if (without === undefined) throw new Error('of the run without the change came no result');
  return { rows: proofRows([first.results, ...again], without), first };
}

interface Weighing {
  readonly grounds: GroundsBefore;
  readonly others: OtherTests;
  readonly first: TestRun;
}

/** The verdict with what the tests notice: of all of them, and of those of each requirement. */
async function weighed(
  work: Judging,
  weighing: Weighing,
): Promise<Pick<Judged, 'verdict' | 'reasons' | 'strength' | 'requirements'>> {
  const { grounds, others, first } = weighing;
  const { rows, lost } = grounds;
  const { requirements: listed = {}, faults, trees } = work;
  const known = { rows, lost, kept: others.kept };
  const wanted = Object.values(listed).flatMap(({ tests }) => tests.flatMap((entry) => meantBy(entry, known)));
  const isMeasured = faults > 0 && reasonsWithoutStrength(grounds).length === 0;
  const measured = isMeasured
    ? await strengthOf({
        ...work,
        ...guardsOf(work, weighing, new Set(wanted)),
        proving: provingOf(work, rows, first),
        head: trees.head,
      })
    : null;
  const requirements = await requirementProofs(listed, known, async (own) => (await measured?.of(byFile(own))) ?? null);
  const strength = measured?.all ?? null;
  const readers = measured?.readers ?? new Set();
  return { ...withRequirements(verdictOf({ ...grounds, strength, readers }), requirements), strength, requirements };
}

/** The tests that pass on the head: the changed ones with those of the requirements, and the others. */
function guardsOf(
  { commands: { runner }, change: { product } }: Judging,
  { grounds: { rows }, first: { durationMs }, others }: Weighing,
  wanted: ReadonlySet<string>,
): { readonly own: Guards; readonly others: Guards } {
  const chosen = RUNNERS[runner].choosesTests;
  const changed = rows.filter(({ role }) => role === 'proves' || role === 'keeps').map(({ test }) => test);
  const listed = others.kept.filter((id) => wanted.has(id));
  const rest = others.kept.filter((id) => !wanted.has(id));
  return {
    own: {
      tests: byFile([...changed, ...listed]),
      durationMs: durationMs + (listed.length === 0 ? 0 : others.durationMs),
    },
    others: { tests: byFile(nearFirst(rest, product)), durationMs: others.durationMs, chosen },
  };
}

/** Those first whose file is named like one of the product's: they are likeliest to notice, and the first to do so may end the run. */
function nearFirst(ids: readonly string[], product: readonly string[]): readonly string[] {
  const names = product.map((path) => posix.basename(path, posix.extname(path)));
  const isNear = (id: string) => names.some((name) => posix.basename(fileOf(id)).includes(name));
  return [...ids.filter(isNear), ...ids.filter((id) => !isNear(id))];
}

/** None where each test has to say what it notices, or where a runner cannot leave out the others. */
function provingOf(
  { commands: { runner }, requirements }: Judging,
  rows: readonly ProofRow[],
  { durationMs }: TestRun,
): Guards {
  const isUsed = RUNNERS[runner].choosesTests && requirements === undefined;
  const proving = isUsed ? rows.flatMap(({ role, test }) => (role === 'proves' ? [test] : [])) : [];
  return { tests: byFile(proving), durationMs, chosen: true };
}

function notJudged(reason: string): Judged {
  const nothing = { rows: [], findings: [], strength: null, requirements: [], notNeeded: 0 };
  return { verdict: 'not judged', reasons: [reason], ...nothing };
}
