/** Whether the built product starts and answers 200 at its health path, tried from inside one sandbox command. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../report/json.ts';
import { said } from '../report/said.ts';
import type { JobEnvironment } from '../sandbox/environment.ts';

export interface Health {
  readonly healthy: boolean;
  readonly detail: string;
}

const START_MS = 30_000;

// The product is a child of this script and cannot write the result: Node closes inherited descriptors in its children.
const SCRIPT = `
const { spawn } = require('node:child_process');
const { createServer } = require('node:net');
const { writeSync } = require('node:fs');
const { start, health, startMs } = JSON.parse(process.argv[2]);
const finish = (healthy, detail) => { writeSync(3, JSON.stringify({ healthy, detail })); process.exit(0); };
const free = createServer().listen(0, '127.0.0.1', () => {
  const { port } = free.address();
  free.close(() => run(port));
});
async function run(port) {
  const product = spawn('bash', ['-c', start], { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'inherit', 'inherit'] });
  let ended, last = 'no answer';
  product.on('exit', (code, signal) => { ended = 'the start command ended with ' + (code === null ? signal : 'exit code ' + code); });
  for (const until = Date.now() + startMs; Date.now() < until && ended === undefined; ) {
    try {
      const response = await fetch('http://127.0.0.1:' + port + health, { redirect: 'manual', signal: AbortSignal.timeout(5000) });
      if (response.status === 200) return finish(true, 'status 200');
      last = 'status ' + response.status;
    } catch (error) { last = String(error.cause?.code ?? error.name); }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  finish(false, ended ?? last + ' within ' + startMs / 1000 + ' s');
}
`;
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
  await writeFile(script, SCRIPT);
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
