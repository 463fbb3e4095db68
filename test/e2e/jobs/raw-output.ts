/** The raw output of a job, from which each of its numbers can be made again. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BuildReport } from '../../../src/loop/brief.ts';

/** What is stored for a measurement, by the digest in its `raw`. */
export function rawOutput(output: string, raw: string): Promise<Buffer> {
  return readFile(join(output, 'raw', raw.slice('sha256:'.length)));
}

/** Every number has its raw output, and that is what the number says it is. */
export async function expectRawOutput(output: string, { measurements }: Pick<BuildReport, 'measurements'>) {
  for (const { raw } of measurements) {
    const text = await rawOutput(output, raw);
    expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(raw);
  }
}
