/** The draft of a seed: what the model wants, kept between two steps of one job until what the product needs is installed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Brief, type Report, type SeedReport, seedReport } from '../../loop/brief.ts';
import { parseJson } from '../report/json.ts';
import { JobError } from '../workspace/environment.ts';

/** In the runner's folder for what ends with the job, and not in the artifact: it is no report yet. */
export function draftFolder(runnerTemp: string): string {
  return join(runnerTemp, 'loopwright-draft');
}

/** Whether the seed has still to be run: nothing went wrong, and nothing was measured. */
export function isDraft({ kind, failure, measurements }: Report): boolean {
  return kind === 'seed' && failure === null && measurements.length === 0;
}

/** Undefined where no step before this one drafted. @throws {JobError} when it cannot be read, or is of another run. */
export async function readDraft(folder: string, brief: Brief): Promise<SeedReport | undefined> {
  const text = await readFile(join(folder, 'report.json'), 'utf8').catch(missing);
  if (text === undefined) return undefined;
  const parsed = seedReport.safeParse(parseJson(text));
  if (!parsed.success)
    throw new JobError(`The draft of the seed is not valid: ${z.prettifyError(parsed.error)}; run the build again.`);
  const { loop, entry, candidate } = parsed.data;
  if (loop !== brief.loop.id || entry !== brief.entry || candidate !== brief.candidate)
    throw new JobError(
      `The draft of the seed is of ${loop}, entry ${entry}, not of ${brief.loop.id}, entry ${brief.entry}; run the build again.`,
    );
  return parsed.data;
}

function missing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT') throw new JobError(`The draft of the seed cannot be read (${code}); run the build again.`);
}
