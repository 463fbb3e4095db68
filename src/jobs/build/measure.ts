/** Measures what the builder left: build, health, tests and scans, each number with the output that it was read from. */
import type { FileChange, FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import { isServed } from '../../loop/gates.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { runTests, type TestRun } from '../../test-runs/test-run.ts';
import { cut, said } from '../report/said.ts';
import { type Reading, securityReading } from '../report/security.ts';
import { diffOf } from '../workspace/changes.ts';
import { type Bench, measured, runShell, runSuite } from '../workspace/environment.ts';
import { layTests } from '../workspace/trees.ts';
import { contradictedTests } from './contradicted.ts';
import { idOf } from './design-check.ts';
import { checkHealth } from './health.ts';
import { onCopy, type Settled, settle } from './settle.ts';

export interface Measured {
  readonly settled: Settled;
  /** The proposed change as a unified diff against the candidate. */
  readonly diff: string;
  readonly measurements: readonly Measurement[];
  readonly defects: readonly Defect[];
  /** Whether every number that was asked for is there and 0; only then is a review worth its price. */
  readonly green: boolean;
}

/** Settles the workspace and measures a copy of it. */
export async function measure(bench: Bench, tests: FrozenTests): Promise<Measured> {
  const settled = await settle(bench, tests);
  const diff = await diffOf(bench.repository, bench.brief.candidate, settled.changes);
  const readings = await onCopy(bench, async (copy) => [
    await buildReading(bench, copy, settled.refused),
    ...(await healthReading(bench, copy)),
    await testReading(bench, copy, tests),
    await suiteReading(bench, copy),
  ]);
  readings.push(await securityReading(bench, { diff, texts: textsOf(settled.changes) }));
  const contradictions = await contradictedTests(bench, tests, readings);
  const measurements = readings.flatMap(({ measurement }) => measurement ?? []);
  return {
    settled,
    diff,
    measurements,
    defects: [
      ...settled.refused,
      ...settled.unplanned,
      ...contradictions,
      ...readings.flatMap(({ defects }) => defects),
    ],
    green: measurements.length === readings.length && measurements.every(({ value }) => value === 0),
  };
}

function textsOf(changes: readonly FileChange[]): ReadonlyMap<string, string> {
  const texts = changes.flatMap(({ path, content }) =>
    content === null ? [] : [[path, Buffer.from(content, 'base64').toString('utf8')] as const],
  );
  return new Map(texts);
}

async function buildReading(bench: Bench, directory: string, refused: readonly Defect[]): Promise<Reading> {
  const { brief, environment } = bench;
  const { build } = brief.commands;
  const result = build === null ? undefined : await runShell(bench, build, directory);
  const failed = result !== undefined && result.exitCode !== 0;
  const output = result === undefined ? 'no build command' : said(result, brief.limits.outputBytes);
  const refusals = refused.map(({ message }) => message).join('\n');
  const message = `The build command ${JSON.stringify(build)} failed: ${cut(output, 3000)}`;
  return {
    measurement: await measured(environment, {
      name: 'build_errors',
      value: Number(failed) + refused.length,
      unit: 'count',
      source: 'exit code of the build command, and changes refused by the path policy',
      output: `${output}\nrefused changes: ${refused.length}\n${refusals}`,
    }),
    defects: failed ? [defect({ rule: 'build', message })] : [],
  };
}

async function healthReading(bench: Bench, directory: string): Promise<readonly Reading[]> {
  const { brief, environment } = bench;
  if (!isServed(brief.surface)) return [];
  const { start, health } = brief.commands;
  if (start === null || health === null) {
    const missing = [start === null ? 'commands.start' : '', health === null ? 'commands.health' : ''].filter(Boolean);
    const message = `Health cannot be measured: the surface is ${brief.surface}, but ${missing.join(' and ')} is not set in .github/loopwright.yml.`;
    return [{ measurement: undefined, defects: [defect({ rule: 'health', message })] }];
  }
  const { outputBytes } = brief.limits;
  const { healthy, detail } = await checkHealth(environment, { directory, start, health, outputBytes });
  const message = `The product does not become healthy with ${JSON.stringify(start)}: ${cut(detail, 3000)}`;
  const measurement = await measured(environment, {
    name: 'health_failures',
    value: Number(!healthy),
    unit: 'count',
    source: `GET ${health} after ${start}`,
    output: detail,
  });
  return [{ measurement, defects: healthy ? [] : [defect({ rule: 'health', message })] }];
}

async function testReading(bench: Bench, directory: string, tests: FrozenTests): Promise<Reading> {
  const { brief, environment } = bench;
  await layTests(directory, tests);
  const run = await runTests({
    sandbox: environment.sandbox,
    directory,
    commands: brief.commands,
    files: [...new Set(tests.tests.map(({ file }) => file))],
    expected: tests.tests.map(idOf),
    timeoutMs: brief.limits.suiteTimeoutMs,
    outputBytes: brief.limits.outputBytes,
  });
  const failing = tests.tests.filter((test) => !run.trusted || run.results.get(idOf(test))?.outcome !== 'pass');
  return {
    measurement: await measured(environment, {
      name: 'test_failures',
      value: failing.length,
      unit: 'count',
      source: `frozen tests that did not pass, run by ${brief.commands.runner}`,
      output: run.raw,
    }),
    defects: failing.map((test) => testDefect(test, run)),
  };
}

/** The repository's own command runs the frozen tests too, so its red is a number of its own: what fails must not count twice. */
async function suiteReading(bench: Bench, directory: string): Promise<Reading> {
  const { brief, environment } = bench;
  const { test } = brief.commands;
  const result = await runSuite(bench, directory);
  const output = said(result, brief.limits.outputBytes);
  const red = result.exitCode !== 0;
  const message = `The repository's own tests (${test}) are red: ${cut(output, 3000)}`;
  return {
    measurement: await measured(environment, {
      name: 'suite_failures',
      value: Number(red),
      unit: 'count',
      source: `exit code of ${test}: 1 when it is red`,
      output,
    }),
    defects: red ? [defect({ rule: 'suite', message })] : [],
  };
}

function testDefect(test: FrozenTests['tests'][number], run: TestRun): Defect {
  const result = run.trusted ? run.results.get(idOf(test)) : undefined;
  const outcome = result?.outcome ?? 'not-run';
  const why = result?.message || run.problem || 'the runner did not report it';
  return defect({
    rule: 'test',
    about: idOf(test),
    requirement: test.requirement,
    file: test.file,
    message: `The test "${test.name}" has the outcome ${outcome}: ${cut(why, 3000)}`,
  });
}
