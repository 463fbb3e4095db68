/** What a loop came to, as `npm run loops` prints it, and what of it is not as it must be. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { LoopCase } from './loop-case.ts';

const gate = z.object({ name: z.string(), value: z.number().nullable(), threshold: z.string(), passed: z.boolean() });
const strength = z.object({
  made: z.int(),
  noticed: z.int(),
  unmeasured: z.int(),
  survivors: z.array(z.object({ file: z.string(), line: z.int(), sentence: z.string() })),
});
const summary = z.object({
  status: z.string(),
  phases: z.array(
    z.object({
      name: z.string(),
      attempts: z.int(),
      seconds: z.number(),
      gates: z.array(gate),
      history: z.array(z.array(gate)),
    }),
  ),
  pull: z.object({ number: z.int(), headSha: z.string().nullable() }).nullable(),
  evidence: z.array(
    z.object({
      requirement: z.string(),
      kind: z.string(),
      test: z.string(),
      proven: z.boolean(),
      reason: z.string(),
      trust: z.string(),
      strength: strength.nullable(),
    }),
  ),
  modelCalls: z.object({ total: z.int().nullable(), outsideBuild: z.int().nullable() }),
  durationMs: z.number().nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
});
type Summary = z.infer<typeof summary>;

export interface Outcome {
  readonly name: string;
  readonly summary: Summary;
  readonly branches: readonly string[];
  readonly messagesOfMain: readonly string[];
  readonly problems: readonly string[];
}

interface Ran {
  readonly name: string;
  readonly one: LoopCase;
  /** Where the embedded GitHub keeps its repositories. */
  readonly data: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws {Error} where the loop printed no result. */
export async function readOutcome({ name, one, data, stdout, stderr }: Ran): Promise<Outcome> {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`${name}: no result was printed: ${stderr}`);
  const read = summary.parse(JSON.parse(last));
  const bare = await bareRepository(data);
  const lines = async (...argv: readonly string[]) =>
    bare === undefined ? [] : (await execa('git', ['-C', bare, ...argv])).stdout.split('\n');
  const branches = await lines('for-each-ref', '--format=%(refname:short)', 'refs/heads');
  const messagesOfMain = (await lines('log', '--format=%s', 'main')).slice(0, 2);
  const found = { name, summary: read, branches, messagesOfMain };
  return { ...found, problems: problemsOf(found, one) };
}

async function bareRepository(data: string): Promise<string | undefined> {
  const entries = await readdir(join(data, 'github'), { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.isDirectory() && entry.name.endsWith('.git'));
  return found === undefined ? undefined : join(found.parentPath, found.name);
}

type Found = Omit<Outcome, 'problems'>;

/** What must hold, and does not: wrong builds stopped by a measured gate, then a pull request that is ready, and main as it was. */
function problemsOf(
  { summary: { status, pull, evidence, reason, error, phases }, messagesOfMain }: Found,
  one: LoopCase,
) {
  const wrong = one.builds.length - 1;
  const stopped = phases.flatMap(({ name, history }) => (name === 'BUILD' || name === 'VERIFY' ? history : []));
  const unproven = evidence.filter(({ proven }) => !proven);
  return [
    ...(status === 'succeeded' ? [] : [`the loop is ${status}: ${error ?? reason ?? 'no reason was given'}`]),
    ...(pull === null ? ['there is no pull request'] : []),
    ...(stopped.filter(isMeasuredNo).length >= wrong ? [] : ['a wrong build was not stopped by a measured number']),
    ...(evidence.length > 0 ? [] : ['nothing was proved']),
    ...unproven.map(({ requirement, test, reason: why }) => `${requirement} is not proven by ${test}: ${why}`),
    ...(messagesOfMain[0] === 'Set up Loopwright' ? [] : [`main was touched: ${messagesOfMain[0]}`]),
  ];
}

function isMeasuredNo(gates: readonly z.infer<typeof gate>[]): boolean {
  return gates.some(({ passed, value }) => !passed && value !== null);
}

export function outcomeLines({ summary: found, branches, messagesOfMain, problems }: Outcome): readonly string[] {
  const { phases, status, pull, durationMs, modelCalls, evidence } = found;
  return [
    ...phases.flatMap(({ name, attempts, seconds, gates, history }) => [
      `  ${name.padEnd(12)} ${String(seconds).padStart(4)} s  ${attempts === 1 ? '' : `${attempts} tries  `}${gates.map(gateText).join(' · ')}`,
      ...history.map(
        (gates, index) =>
          `    try ${index + 1} no: ${gates
            .filter(({ passed }) => !passed)
            .map(gateText)
            .join(' · ')}`,
      ),
    ]),
    ...strengthLines(evidence),
    `  ${status}, pull request ${pull === null ? 'none' : `#${pull.number}`}, ${Math.round((durationMs ?? 0) / 1000)} s, ${modelCalls.total ?? '?'} model calls; branches ${branches.join(' ')}; main: ${messagesOfMain[0] ?? 'unknown'}`,
    ...problems.map((problem) => `  NOT AS IT MUST BE: ${problem}`),
  ];
}

function gateText({ name, value, threshold, passed }: z.infer<typeof gate>): string {
  return `${name} ${value ?? 'not measured'}${passed ? '' : ` (wanted ${threshold})`}`;
}

function strengthLines(evidence: Summary['evidence']): readonly string[] {
  return [...Map.groupBy(evidence, ({ requirement }) => requirement)].flatMap(([requirement, rows]) => {
    const [first] = rows;
    const strong = first?.strength;
    const share =
      strong === null || strong === undefined ? 'no fault asked' : `${strong.noticed} of ${strong.made} faults noticed`;
    const unmeasured = strong?.unmeasured ? `, ${strong.unmeasured} not measured` : '';
    return [
      `  ${requirement} ${first?.kind}: ${rows.filter(({ proven }) => proven).length} of ${rows.length} rows proven (${first?.trust}), ${share}${unmeasured}`,
      ...(strong?.survivors ?? []).map(({ file, line, sentence }) => `    not noticed: ${file}:${line} ${sentence}`),
    ];
  });
}
