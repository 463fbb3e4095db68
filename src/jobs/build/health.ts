/** Whether the built product starts and answers 200 at its health path, tried from inside one sandbox command. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { programText } from '../../inside/program-text.ts';
import { parseJson } from '../report/json.ts';
import { said } from '../report/said.ts';
import type { JobEnvironment } from '../workspace/environment.ts';

export interface Health {
  readonly healthy: boolean;
  readonly detail: string;
}

const START_MS = 30_000;

const verdict = z.strictObject({ healthy: z.boolean(), detail: z.string() });

/** Starts the product in the directory with a free port as PORT and asks for its health path until it answers or the time is over. */
export async function checkHealth(
  environment: JobEnvironment,
  request: {
    readonly directory: string;
    readonly start: string;
    readonly health: string;
    readonly outputBytes: number;
  },
): Promise<Health> {
  const script = join(environment.scratch, 'health.cjs');
  await writeFile(script, programText('health.cjs'));
  const { directory, start, health, outputBytes } = request;
  const result = await environment.sandbox.run({
    argv: ['node', script, JSON.stringify({ start, health, startMs: START_MS })],
    directory,
    timeoutMs: START_MS + 10_000,
    outputBytes,
    results: true,
  });
  const parsed = verdict.safeParse(parseJson(result.results));
  const output = said(result, outputBytes);
  if (!parsed.success) return { healthy: false, detail: `no result from the health check: ${output}` };
  return { healthy: parsed.data.healthy, detail: `GET ${health}: ${parsed.data.detail}\n${output}` };
}
