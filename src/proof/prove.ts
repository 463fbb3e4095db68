/** Proves a change by its own tests: no model, no plan, only commits, a runner and a sandbox. */
import { posix } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isTestFile } from '../guard/test-paths.ts';
import { scopeOf } from '../guard/test-scope.ts';
import { withoutWaiver } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import { RUNNERS } from '../runners/runners.ts';
import { type TestRun, testLimitOf } from '../test-runs/test-run.ts';
import { textsIn } from '../trees/repository.ts';
import { built } from './build.ts';
import { changeOf } from './change.ts';
import { changedTests } from './changed-tests.ts';
import { needlesslyDeleted } from './deleted-lines.ts';
import { findingsOf } from './findings.ts';
import { type Judging, type ProofRequest, scoped } from './judging.ts';
import { aboutIn, assertionsIn, countsIn, loosened } from './loosened.ts';
import { NO_OTHERS, type OtherTests, otherFiles, otherTests } from './other-tests.ts';
import type { Proof, ProofRow } from './proof.ts';
import { layProofTrees, type ProofTrees } from './proof-trees.ts';
import { relatedTests } from './related.ts';
import { meantBy, requirementProofs, withRequirements } from './requirements.ts';
import { strengthOf } from './strength.ts';
import { takenOut } from './taken-out.ts';
import { byFile, fileOf } from './test-ids.ts';
import type { Guards } from './trial.ts';
import { NO_HEED, unheeded } from './unheeded.ts';
import { type GroundsBefore, reasonsWithoutStrength, verdictOf } from './verdict.ts';

/** Lays out the trees, runs the tests on each, and says what that proves. @throws {LoopError} where a tree cannot be laid out. */
export async function prove(request: ProofRequest): Promise<Proof> {
  const startedMs = performance.now();
  const { range, repository, commands, dependencies, sandbox } = request;
  const { runner } = commands;
  const change = await changeOf(repository, range, runner);
  const trees = await layProofTrees(repository, change, dependencies);
  const unbuilt = await unbuiltIn(request, trees);
  const related = await relatedTests({ ...request, runner }, change);
  const judged = unbuilt === undefined ? await judge({ ...request, change, related, trees }) : notJudged(unbuilt);
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

type Judged = Pick<
  Proof,
  | 'verdict'
  | 'reasons'
  | 'rows'
  | 'findings'
  | 'strength'
  | 'requirements'
  | 'kept'
  | 'redBefore'
  | 'redTests'
  | 'unrun'
  | 'notNeeded'
  | 'exchanged'
>;

async function judge(work: Judging): Promise<Judged> {
  const asked = await changedTests(work);
  if (typeof asked === 'string') return notJudged(asked);
  const { rows, first, base, asBefore } = asked;
  const { change } = work;
  const { product, tests } = change;
  const listed = Object.values(work.requirements ?? {});
  const onlyKeeps = listed.length > 0 && listed.every(({ kind }) => kind === 'keep');
  const shown = { product, tests, rows, broken: first.broken, onlyKeeps };
  const untouched = otherFiles(work);
  // A verdict that is clear is told at once; requirements of a list may rest on the others too.
  const isClear = listed.length === 0 && reasonsWithoutStrength({ ...shown, lost: new Map(), findings: [] }).length > 0;
  const others = isClear ? NO_OTHERS : await otherTests(work, untouched);
  if (typeof others === 'string') return notJudged(others);
  const asserting = [...tests, ...work.related];
  const [before, now] = [
    await textsIn(work.repository, change.baseFiles, asserting),
    await textsIn(work.repository, change.headFiles, asserting),
  ];
  const read = {
    assertsAsBefore: assertionsIn(before, now, new Set([...base.keys()].map(fileOf))),
    isAbout: aboutIn(before, now),
    assertions: countsIn(before, now),
  };
  const taken = [...takenOut(base, first.results), ...loosened({ base, asBefore, rows, ...read })];
  const found = await findingsOf({ ...work, runner: work.commands.runner, rows });
  const heed = isClear ? NO_HEED : await unheeded(work, rows);
  if (typeof heed === 'string') return notJudged(heed);
  const findings = [...found, ...taken, ...heed.findings].map(withoutWaiver);
  const grounds = { ...shown, lost: others.lost, findings };
  const notNeeded = isClear ? untouched.length : 0;
  const seen = { rows: [...rows], ...toldOf(others), notNeeded, exchanged: [...heed.exchanged] };
  const { deleted, ...weight } = await weighed(work, { grounds, others, first });
  return { ...weight, ...seen, findings: [...findings, ...deleted] };
}

function toldOf({ kept, redBefore, unrun }: OtherTests) {
  return {
    ...{ kept: kept.length, redBefore: redBefore.length, redTests: [...redBefore] },
    unrun,
  };
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
): Promise<
  Pick<Judged, 'verdict' | 'reasons' | 'strength' | 'requirements'> & { readonly deleted: readonly Defect[] }
> {
  const { grounds, others, first } = weighing;
  const { rows, lost } = grounds;
  const { requirements: listed = {}, faults, trees } = work;
  const known = { rows, lost, kept: others.kept };
  const wanted = Object.values(listed).flatMap(({ tests }) => tests.flatMap((entry) => meantBy(entry, known)));
  const isMeasured = faults > 0 && reasonsWithoutStrength(grounds).length === 0;
  const request = {
    ...{ ...work, head: trees.head },
    ...{ ...guardsOf(work, weighing, new Set(wanted)), proving: provingOf(work, rows, first) },
  };
  const measured = isMeasured ? await strengthOf(request) : null;
  const deleted = isMeasured ? await needlesslyDeleted(request) : [];
  const requirements = await requirementProofs(listed, known, async (own) => (await measured?.of(byFile(own))) ?? null);
  const strength = measured?.all ?? null;
  const readers = measured?.readers ?? new Set();
  return {
    ...withRequirements(verdictOf({ ...grounds, strength, readers }), requirements),
    strength,
    requirements,
    deleted,
  };
}

/** The tests that pass on the head: the changed ones with those of the requirements, and the others. */
function guardsOf(
  { commands: { runner }, change: { product } }: Judging,
  { grounds: { rows }, first, others }: Weighing,
  wanted: ReadonlySet<string>,
): { readonly own: Guards; readonly others: Guards } {
  const chosen = RUNNERS[runner].choosesTests === 'believed';
  const changed = rows.filter(({ role }) => role === 'proves' || role === 'keeps').map(({ test }) => test);
  const listed = others.kept.filter((id) => wanted.has(id));
  const rest = others.kept.filter((id) => !wanted.has(id));
  return {
    own: {
      tests: byFile([...changed, ...listed]),
      durationMs: first.durationMs + (listed.length === 0 ? 0 : others.durationMs),
      // Of those that the change did not touch nobody knows how long each takes.
      testMs: listed.length === 0 ? testLimitOf(first, changed) : undefined,
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
function provingOf({ commands: { runner }, requirements }: Judging, rows: readonly ProofRow[], first: TestRun): Guards {
  const isUsed = RUNNERS[runner].choosesTests === 'believed' && requirements === undefined;
  const proving = isUsed ? rows.flatMap(({ role, test }) => (role === 'proves' ? [test] : [])) : [];
  return { tests: byFile(proving), durationMs: first.durationMs, chosen: true, testMs: testLimitOf(first, proving) };
}

function notJudged(reason: string): Judged {
  const nothing = { rows: [], findings: [], strength: null, requirements: [], notNeeded: 0, exchanged: [] };
  return { verdict: 'not judged', reasons: [reason], ...nothing, ...toldOf(NO_OTHERS) };
}
