/** Proves a change by its own tests: no model, no plan, only commits, a runner and a sandbox. */
import { performance } from 'node:perf_hooks';
import { isTestFile } from '../guard/test-paths.ts';
import { scopeOf } from '../guard/test-scope.ts';
import { withoutWaiver } from '../guard/waivers.ts';
import type { RunnerCommands } from '../runners/runner.ts';
import { RUNNERS } from '../runners/runners.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { runTests, type TestRun } from '../test-runs/test-run.ts';
import { onCopy } from '../trees/copies.ts';
import type { Repository } from '../trees/repository.ts';
import { built } from './build.ts';
import { type Change, changeOf, type Range } from './change.ts';
import { findingsOf } from './findings.ts';
import type { Proof, ProofRow } from './proof.ts';
import { type Dependencies, layProofTrees, type ProofTrees } from './proof-trees.ts';
import { meantBy, type RequirementList, requirementProofs, withRequirements } from './requirements.ts';
import { firstLine, proofRows } from './rows.ts';
import { strengthOf } from './strength.ts';
import { takenOut } from './taken-out.ts';
import { type Grounds, reasonsWithoutStrength, verdictOf } from './verdict.ts';

export interface ProofRequest {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly range: Range;
  readonly commands: RunnerCommands;
  readonly dependencies: Dependencies;
  /** Compiles the product in each tree; null where nothing is to be. */
  readonly build: string | null;
  /** For one run of test files. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly parsers: Parsers;
  /** How many faults may be made in the changed lines; 0 measures no strength. */
  readonly faults: number;
  /** Globs of the test files that are asked; all where there is none. */
  readonly scope: readonly string[];
  /** Which tests show which requirement; without it the change is one. */
  readonly requirements?: RequirementList;
  readonly log: (line: string) => void;
}

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
      request.scope,
    ).left.length,
    sandbox: sandbox.kind,
    durationMs: Math.round(performance.now() - startedMs),
  };
}

/** A sentence where head or base cannot be built. What the base makes of the head's tests may rightly fail: the tests show it. */
async function unbuiltIn(request: ProofRequest, trees: ProofTrees): Promise<string | undefined> {
  for (const name of ['head', 'base', 'without'] as const) {
    const problem = await built(request, trees[name]);
    if (problem !== undefined && name !== 'without') return `Nothing can be judged on the ${name}: ${problem}`;
  }
  return undefined;
}

interface Judging extends ProofRequest {
  readonly change: Change;
  readonly trees: ProofTrees;
}

type Judged = Pick<Proof, 'verdict' | 'reasons' | 'rows' | 'findings' | 'strength' | 'requirements'>;

async function judge(work: Judging): Promise<Judged> {
  const { change, trees, log } = work;
  const changed = change.tests.filter((path) => change.headFiles.has(path) && isTestFile(path, work.commands.runner));
  const own = scopeOf(changed, work.scope).asked;
  log(`changed files: ${own.length} with tests, ${change.product.length} without`);
  const first = await run(work, trees.head, { files: own });
  if (!first.trusted) return notJudged(`The changed tests cannot be judged on the head: ${first.problem}`);
  const expected = [...first.results.keys()];
  const again: TestRun[] = [];
  for (let count = 1; count < HEAD_RUNS && expected.length > 0; count += 1)
    again.push(await run(work, trees.head, { files: own, expected }));
  const without = await run(work, trees.without, { files: own, expected });
  const untrusted = [...again, without].find(({ trusted }) => !trusted);
  if (untrusted !== undefined) return notJudged(`The changed tests cannot be judged: ${untrusted.problem}`);
  const rows = proofRows(
    [first, ...again].map(({ results }) => results),
    without.results,
  );
  const others = await otherTests(work);
  if (typeof others === 'string') return notJudged(others);
  const earlier = change.tests.filter((path) => change.baseFiles.has(path) && isTestFile(path, work.commands.runner));
  const before = scopeOf(earlier, work.scope).asked;
  const onBase = before.length === 0 ? undefined : await run(work, trees.base, { files: before });
  if (onBase?.trusted === false) return notJudged(`The changed tests cannot be judged on the base: ${onBase.problem}`);
  const taken = takenOut(onBase?.results ?? new Map(), first.results);
  const findings = [...(await findingsOf({ ...work, runner: work.commands.runner })), ...taken].map(withoutWaiver);
  const { product, tests } = change;
  const grounds = { product, tests, rows, lost: others.lost, broken: first.broken, findings };
  return { ...(await weighed(work, { grounds, others, first })), rows: [...rows], findings: [...findings] };
}

interface Weighing {
  readonly grounds: Omit<Grounds, 'strength'>;
  readonly others: OtherTests;
  readonly first: TestRun;
}

/** The verdict with what the tests notice: of all of them, and of those of each requirement. */
async function weighed(
  work: Judging,
  { grounds, others, first }: Weighing,
): Promise<Pick<Judged, 'verdict' | 'reasons' | 'strength' | 'requirements'>> {
  const { rows, lost } = grounds;
  const { requirements: listed = {}, faults, trees } = work;
  const known = { rows, lost, kept: others.kept };
  const wanted = Object.values(listed).flatMap(({ tests }) => tests.flatMap((entry) => meantBy(entry, known)));
  const isMeasured = faults > 0 && reasonsWithoutStrength(grounds).length === 0;
  const measured = isMeasured
    ? await strengthOf({ ...work, ...guardsOf(rows, first, others, new Set(wanted)), head: trees.head })
    : null;
  const requirements = await requirementProofs(listed, known, async (own) => (await measured?.of(byFile(own))) ?? null);
  const strength = measured?.all ?? null;
  return { ...withRequirements(verdictOf({ ...grounds, strength }), requirements), strength, requirements };
}

/** The tests that pass on the head: the changed ones with those of the requirements, and the others. */
function guardsOf(rows: readonly ProofRow[], { durationMs }: TestRun, others: OtherTests, wanted: ReadonlySet<string>) {
  const changed = rows.filter(({ role }) => role === 'proves' || role === 'keeps').map(({ test }) => test);
  const listed = others.kept.filter((id) => wanted.has(id));
  const rest = others.kept.filter((id) => !wanted.has(id));
  return {
    own: {
      tests: byFile([...changed, ...listed]),
      durationMs: durationMs + (listed.length === 0 ? 0 : others.durationMs),
    },
    others: { tests: byFile(rest), durationMs: others.durationMs },
  };
}

function byFile(ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(ids, (id) => id.split('::')[0] ?? '');
}

function notJudged(reason: string): Judged {
  return { verdict: 'not judged', reasons: [reason], rows: [], findings: [], strength: null, requirements: [] };
}

/** Tests in files that the change did not touch and that pass on the base. */
interface OtherTests {
  /** Those that no longer pass on the head, with what they said. */
  readonly lost: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
  /** What a run of them takes on the head. */
  readonly durationMs: number;
}

const NO_OTHERS: OtherTests = { lost: new Map(), kept: [], durationMs: 0 };

/** A sentence where it cannot be told. */
async function otherTests(work: Judging): Promise<OtherTests | string> {
  const { change, trees, commands, log } = work;
  const untouched = [...change.headFiles.keys()].filter(
    (path) => isTestFile(path, commands.runner) && change.baseFiles.get(path) === change.headFiles.get(path),
  );
  const others = scopeOf(untouched, work.scope).asked;
  if (others.length === 0) return NO_OTHERS;
  log(`${others.length} test files that the change did not touch`);
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
  return typeof lost === 'string' ? lost : { lost, kept, durationMs: head.durationMs };
}

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

function run(
  { repository, sandbox, commands, timeoutMs, outputBytes }: Judging,
  tree: string,
  { files, expected = [] }: { readonly files: readonly string[]; readonly expected?: readonly string[] },
): Promise<TestRun> {
  return onCopy(repository.scratch, tree, (directory) =>
    runTests({ sandbox, directory, commands, files, expected, timeoutMs, outputBytes }),
  );
}
