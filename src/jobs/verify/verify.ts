/** The VERIFY job: judges a candidate against its base, and changes nothing. */
import { type AddedLine, addedLinesOf } from '../../guard/added-lines.ts';
import type { Brief, VerifyReport } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import { thresholdOf } from '../../loop/gates.ts';
import type { Measurement } from '../../loop/measurement.ts';
import { toolsOf } from '../../loop/tools.ts';
import { languageOf } from '../../syntax/parsers.ts';
import { both, lanesOf } from '../../test-runs/in-parallel.ts';
import { openRepository, textsIn } from '../../trees/repository.ts';
import { subjectOf } from '../report/report-facts.ts';
import { type Reading, securityReading } from '../report/security.ts';
import { type Bench, type JobEnvironment, measured } from '../workspace/environment.ts';
import { layTrees, onTreeCopy, type Trees } from '../workspace/trees.ts';
import { type Acceptance, performAcceptance } from './acceptance.ts';
import { type AcceptedRow, acceptanceReading, failedRequirementsReading, withMetrics } from './acceptance-readings.ts';
import { type Evidence, proveRequirements } from './evidence.ts';
import { evidenceReading, strengthReading } from './evidence-readings.ts';
import { runFrozen } from './frozen-run.ts';
import { onNeutralCopy } from './neutral-copy.ts';
import { regressionReading } from './regressions.ts';
import { type SupersededOnHead, supersededOnHead } from './superseded-on-head.ts';
import { toolReadings } from './tool-readings.ts';
import { flakinessReading, integrityReading } from './verify-readings.ts';

/**
 * Measures everything that the gates of VERIFY read. What could not be measured has no measurement, and a defect says why.
 * @throws {JobError} when a tree cannot be installed or built.
 */
export async function verify(brief: Brief, environment: JobEnvironment): Promise<VerifyReport> {
  const startedAt = environment.now();
  // The copy of the history is made before any of the candidate's code has run.
  const bench: Bench = {
    brief,
    environment,
    repository: await openRepository(environment.workspace, environment.scratch),
    attempts: new Map(),
    packages: new Map(),
  };
  const judged = await judge(bench);
  const tools = toolsOf(brief);
  return {
    kind: 'verify',
    ...subjectOf(brief),
    sandbox: environment.sandbox.kind,
    missingWalls: [...environment.sandbox.missing],
    measurements: judged.readings.flatMap(({ measurement }) => measurement ?? []),
    defects: judged.readings.flatMap(({ defects }) => defects),
    calls: [],
    failure: null,
    durationMs: environment.now() - startedAt,
    evidence: [...judged.evidence.rows],
    ...(judged.evidence.strengths.length === 0 ? {} : { strengths: [...judged.evidence.strengths] }),
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
    ...(brief.tests?.added === undefined ? {} : { addedTests: brief.tests.added }),
    ...(judged.superseded.length === 0 ? {} : { supersededTests: [...judged.superseded] }),
    acceptance: judged.rows.map(({ row: { id, requirement }, passed, detail }) => ({
      id,
      requirement,
      passed,
      detail,
    })),
  };
}

interface Judged {
  readonly readings: readonly Reading[];
  readonly evidence: Evidence;
  readonly rows: readonly AcceptedRow[];
  readonly superseded: readonly SupersededOnHead[];
}

async function judge(bench: Bench): Promise<Judged> {
  const { brief, environment } = bench;
  const tests = brief.tests ?? undefined;
  const trees = await layTrees(bench, tests);
  const diff = await diffOf(bench);
  const added = addedLinesOf(diff);
  const code = added.map(({ file }) => file).filter((file) => languageOf(file) !== undefined);
  const texts = await textsIn(bench.repository, trees.headFiles, code);
  const [[integrity, security], { regressions, stability, runs }] = await both(
    async () =>
      [await integrityReading(bench, trees, { added, texts }), await securityReading(bench, { diff, texts })] as const,
    () => runsOfTests(bench, trees),
    lanesOf(environment.sandbox),
  );
  environment.log(`acceptance: ${brief.acceptance.length} rows`);
  const acceptance = await onNeutralCopy(bench, trees.head, (copy) => performAcceptance(bench, copy));
  const latency = await latencyReading(bench, acceptance);
  const values = valuesOf([integrity, security, regressions, stability, latency], acceptance, stability.passRate);
  environment.log(`evidence: ${brief.requirements.length} requirements`);
  const changedLines = linesByFile(added);
  const evidence = await proveRequirements({
    bench,
    trees,
    tests,
    runs,
    values,
    changedLines,
    kept: regressions.kept,
  });
  const rows = withMetrics(brief, acceptance, evidence);
  const proof = await evidenceReading(bench, evidence);
  const strength = await strengthReading(bench, evidence);
  const uat = await acceptanceReading(bench, rows, acceptance.raw);
  const failed = await failedRequirementsReading(bench, rows);
  const superseded = await supersededOnHead(bench, trees);
  const tools = await toolReadings(bench, trees);
  const readings = [uat, failed, proof, strength, regressions, integrity, security, ...tools, latency, stability];
  return { readings, evidence, rows, superseded };
}

/** What the runs of existing and frozen tests on base and head say. */
async function runsOfTests(bench: Bench, trees: Trees) {
  const tests = bench.brief.tests ?? undefined;
  const lanes = lanesOf(bench.environment.sandbox);
  const onBase = async () => tests && onTreeCopy(bench, trees.base, (copy) => runFrozen(bench, copy, tests));
  const [regressions, [stability, base]] = await both(
    () => regressionReading(bench, trees),
    () => both(() => flakinessReading(bench, trees, tests), onBase, lanes),
    lanes,
  );
  const head = stability.firstRun;
  return { regressions, stability, runs: base && head && { base, head } };
}

/** What the candidate changes, without the App's own documents. */
async function diffOf({ repository, brief }: Bench): Promise<string> {
  const options = [
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--no-renames',
    '--text',
    '--src-prefix=a/',
    '--dst-prefix=b/',
  ];
  const range = [brief.base, brief.candidate, '--', '.', ':(exclude).loopwright'];
  return (await repository.git(['diff', ...options, ...range])).toString('utf8');
}

function linesByFile(added: readonly AddedLine[]): ReadonlyMap<string, ReadonlySet<number>> {
  const files = Map.groupBy(added, ({ file }) => file);
  return new Map([...files].map(([file, lines]) => [file, new Set(lines.map(({ line }) => line))]));
}

async function latencyReading(bench: Bench, { p95Ms, p95Problem, raw }: Acceptance): Promise<Reading> {
  if (p95Ms === undefined) {
    if (p95Problem === undefined) return { measurement: undefined, defects: [] };
    const message = `The latency could not be measured: ${p95Problem}.`;
    return { measurement: undefined, defects: [defect({ rule: 'latency', about: 'unmeasured', message })] };
  }
  const measurement = await measured(bench.environment, {
    name: 'p95_ms',
    value: p95Ms,
    unit: 'ms',
    source: '200 sequential requests after 20 warm-ups',
    output: raw,
  });
  const limit = thresholdOf({ phase: 'VERIFY', name: 'p95_ms' }, bench.brief.thresholds);
  const message = `95 % of the requests were answered within ${p95Ms} ms; at most ${limit} ms are allowed.`;
  return {
    measurement,
    defects: limit !== undefined && p95Ms <= limit ? [] : [defect({ rule: 'latency', about: 'p95', message })],
  };
}

/** Every number of this entry by name, for requirements of kind metric. */
function valuesOf(
  readings: readonly Reading[],
  { rows }: Acceptance,
  testPassRate: number | undefined,
): ReadonlyMap<string, number> {
  const measurements = readings.flatMap(({ measurement }): readonly Measurement[] =>
    measurement ? [measurement] : [],
  );
  const values = new Map(measurements.map(({ name, value }) => [name, value]));
  if (rows.length > 0) values.set('uat_pass_rate', rows.filter(({ passed }) => passed).length / rows.length);
  if (testPassRate !== undefined) values.set('test_pass_rate', testPassRate);
  return values;
}
