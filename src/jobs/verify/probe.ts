/** Runs inside the sandbox: starts the product, performs the acceptance rows and the load, and writes one result to file descriptor 3. */
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { Step } from '../../documents/step.ts';
import { seal } from '../../test-runs/seal.ts';
import { type Product, startProduct } from './probe-product.ts';
import {
  type LoadResult,
  type ProbeRequest,
  type ProbeResult,
  probeRequest,
  type RowResult,
} from './probe-protocol.ts';
import { performStep, type StepContext } from './probe-steps.ts';

const RESULTS = 3;

/** Reads its request from standard input; resolves to the exit code. The verdict is in the result, never in the exit code. */
export async function probe(): Promise<number> {
  const request = probeRequest.parse(JSON.parse(await text(process.stdin)));
  const result = Buffer.from(seal(request.key, 0, JSON.stringify(await runProbe(request))));
  for (let written = 0; written < result.length; ) written += writeSync(RESULTS, result, written);
  return 0;
}

/** Performs the whole session in the current directory and stops the product afterwards. */
export async function runProbe(request: ProbeRequest): Promise<ProbeResult> {
  const isServed = request.surface === 'http' || request.surface === 'web';
  const product = isServed ? await startProduct(request) : undefined;
  try {
    const context = { origin: product?.origin, stepMs: request.stepMs, problem: product?.problem };
    const rows: RowResult[] = [];
    for (const row of request.rows) rows.push({ id: row.id, ...(await performRow(row.steps, context)) });
    return {
      problem: product?.problem ?? null,
      rows,
      load: product === undefined ? null : await performLoad(request, product),
      output: product?.output() ?? '',
    };
  } finally {
    product?.stop();
  }
}

async function performRow(steps: readonly Step[], context: StepContext): Promise<Omit<RowResult, 'id'>> {
  if (steps.length === 0) return { passed: false, detail: 'the row has no steps, so nothing was checked' };
  const details: string[] = [];
  for (const [index, step] of steps.entries()) {
    const { problems, detail } = await performStep(step, context);
    const text = `step ${index + 1} ${detail}: ${problems.length === 0 ? 'as expected' : problems.join('; ')}`;
    // One line per step, whatever the product answered.
    details.push(text.replaceAll(/\s*\n\s*/g, ' ↵ ').slice(0, 1200));
    if (problems.length > 0) return { passed: false, detail: details.join('\n') };
  }
  return { passed: true, detail: details.join('\n') };
}

type HttpStep = Extract<Step, { type: 'http' }>;

/** The first GET of the acceptance rows, or the first page, asked for one request after the other. */
async function performLoad(request: ProbeRequest, product: Product): Promise<LoadResult | null> {
  const target = loadTarget(request);
  if (target === undefined || product.origin === undefined) return null;
  const durationsMs: number[] = [];
  let failures = 0;
  for (let index = -request.warmUps; index < request.requests; index += 1) {
    const started = performance.now();
    const isAnswered = await isAnsweredAs(product.origin, target, request.stepMs);
    const durationMs = performance.now() - started;
    if (index < 0) continue;
    if (isAnswered) durationsMs.push(durationMs);
    else failures += 1;
    // A product that hangs or is gone would take minutes to fail as often.
    if (failures >= 5) break;
  }
  return { path: target.path, durationsMs, failures };
}

interface LoadTarget {
  readonly path: string;
  readonly status: number;
  readonly headers: HttpStep['headers'];
}

function loadTarget({ rows }: ProbeRequest): LoadTarget | undefined {
  const steps = rows.flatMap((row) => row.steps);
  const get = steps.find((step) => step.type === 'http' && step.method === 'GET');
  if (get?.type === 'http') return { path: get.path, status: get.expected.status, headers: get.headers };
  const page = steps.find((step) => step.type === 'page');
  return page?.type === 'page' ? { path: page.path, status: 200, headers: [] } : undefined;
}

async function isAnsweredAs(
  origin: string,
  { path, status, headers }: LoadTarget,
  timeoutMs: number,
): Promise<boolean> {
  try {
    const response = await fetch(origin + path, {
      redirect: 'manual',
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return response.status === status;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
