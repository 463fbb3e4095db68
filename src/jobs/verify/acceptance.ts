/** Has the acceptance rows performed on the built product, in one session in the sandbox, and reads what came out. */
import { randomBytes } from 'node:crypto';
import type { Brief } from '../../loop/brief.ts';
import { unseal } from '../../test-runs/seal.ts';
import { parseJson } from '../report/json.ts';
import { said } from '../report/said.ts';
import type { Bench } from '../workspace/environment.ts';
import { type ProbeRequest, type ProbeResult, probeResult } from './probe-protocol.ts';

type Row = Brief['acceptance'][number];

export interface Acceptance {
  /** One entry per row of kind change or keep; a row that was not performed has not passed. */
  readonly rows: readonly { readonly row: Row; readonly passed: boolean; readonly detail: string }[];
  readonly p95Ms: number | undefined;
  /** Why there is no P95 although the surface has one. */
  readonly p95Problem: string | undefined;
  readonly raw: string;
}

const START_MS = 30_000;
const STEP_MS = 15_000;
const WARM_UPS = 20;
const REQUESTS = 200;
const PERCENTILE = 0.95;

/** Performs all rows with steps in the directory. Rows of kind metric are numbers, judged elsewhere. */
export async function performAcceptance(bench: Bench, directory: string): Promise<Acceptance> {
  const { brief, environment } = bench;
  const rows = brief.acceptance.filter(({ kind }) => kind !== 'metric');
  const key = randomBytes(32).toString('hex');
  const request: ProbeRequest = {
    key,
    surface: brief.surface,
    rows,
    start: brief.commands.start,
    health: brief.commands.health,
    startMs: START_MS,
    stepMs: STEP_MS,
    requests: REQUESTS,
    warmUps: WARM_UPS,
  };
  const result = await environment.sandbox.run({
    argv: [environment.sandbox.node, environment.bundle, 'probe'],
    directory,
    // Nothing by which a product could know that it is judged: no `CI`, and nothing else that the tests have.
    stdin: JSON.stringify(request),
    timeoutMs: sessionMs(brief),
    outputBytes: brief.limits.outputBytes,
    results: true,
  });
  const answer = unseal(key, result.results)?.join('\n');
  const parsed = probeResult.safeParse(parseJson(answer ?? ''));
  const output = said(result, brief.limits.outputBytes);
  const raw = `${answer ?? result.results}\n--- probe\n${output}`;
  if (!parsed.success) return withoutResult(rows, `the acceptance session gave no result: ${output.slice(-1000)}`, raw);
  return {
    rows: rows.map((row) => {
      const own = parsed.data.rows.filter(({ id }) => id === row.id);
      const [first] = own;
      if (first === undefined || own.length > 1)
        return { row, passed: false, detail: 'the row was not performed once' };
      return { row, passed: first.passed, detail: first.detail };
    }),
    ...latencyOf(brief, parsed.data),
    raw,
  };
}

/** The value below which 95 % of the durations are, by nearest rank. */
export function p95Of(durationsMs: readonly number[]): number | undefined {
  return durationsMs.toSorted((one, other) => one - other)[Math.ceil(durationsMs.length * PERCENTILE) - 1];
}

/** Every step and the load may take their time, but not all of them: a hanging product is stopped. */
function sessionMs(brief: Brief): number {
  const steps = brief.acceptance.flatMap((row) => row.steps).length;
  return START_MS + Math.min(steps, 20) * STEP_MS + 60_000;
}

function latencyOf(brief: Brief, { load, problem }: ProbeResult): Pick<Acceptance, 'p95Ms' | 'p95Problem'> {
  if (brief.surface !== 'http' && brief.surface !== 'web') return { p95Ms: undefined, p95Problem: undefined };
  const p95Ms = load === null ? undefined : p95Of(load.durationsMs);
  if (load !== null && p95Ms !== undefined && load.failures === 0 && load.durationsMs.length === REQUESTS) {
    return { p95Ms: Math.round(p95Ms * 1000) / 1000, p95Problem: undefined };
  }
  if (problem !== null) return { p95Ms: undefined, p95Problem: problem };
  if (load === null) return { p95Ms: undefined, p95Problem: 'no acceptance row has a GET request to measure' };
  return {
    p95Ms: undefined,
    p95Problem: `${load.failures} requests of GET ${load.path} were not answered as expected`,
  };
}

function withoutResult(rows: readonly Row[], problem: string, raw: string): Acceptance {
  return {
    rows: rows.map((row) => ({ row, passed: false, detail: problem })),
    p95Ms: undefined,
    p95Problem: problem,
    raw,
  };
}
