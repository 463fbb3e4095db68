/** Reads what a run of VERIFY left: its brief, its report and the raw outputs that the report is bound to. Somebody sent it, so all of it is checked. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { type Brief, brief, report, type VerifyReport } from '../loop/brief.ts';
import { VERIFY_BRIEF } from '../loop/repeated.ts';

export interface Exported {
  readonly brief: Brief;
  readonly report: VerifyReport;
}

const REPORT = 'report.json';
const MOST_BYTES = 32_000_000;

/** Brief and report of the folder, which belong together. @throws {UsageError} with what is missing or changed. */
export async function exportedIn(folder: string): Promise<Exported> {
  const asked = checked(brief, await jsonIn(folder, VERIFY_BRIEF), join(folder, VERIFY_BRIEF));
  const told = await reportIn(folder);
  const isOfIt =
    told.candidate === asked.candidate &&
    told.base === asked.base &&
    told.entry === asked.entry &&
    told.loop === asked.loop.id;
  if (!isOfIt) throw new UsageError(`The report in ${folder} is not about what its ${VERIFY_BRIEF} asks.`);
  if (told.failure !== null)
    throw new UsageError(`The run that left ${folder} judged nothing itself: ${told.failure.message}`);
  for (const { name, raw } of told.measurements) await assertRaw(folder, name, raw);
  return { brief: asked, report: told };
}

/** The report of a run. @throws {UsageError} when it is none of VERIFY. */
export async function reportIn(folder: string): Promise<VerifyReport> {
  const told = checked(report, await jsonIn(folder, REPORT), join(folder, REPORT));
  if (told.kind !== 'verify')
    throw new UsageError(`${join(folder, REPORT)} is a report of ${told.kind}, not of VERIFY.`);
  return told;
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, file: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${file} is not what a run of VERIFY leaves: ${z.prettifyError(parsed.error)}`);
}

async function jsonIn(folder: string, name: string): Promise<unknown> {
  const file = join(folder, name);
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true)
    throw new UsageError(
      `${folder} holds no ${name}; unpack the artifact \`verify\` of a loopwright-verify run there: \`gh run download RUN --name verify --dir DIR\`.`,
    );
  if (stats.size > MOST_BYTES) throw new UsageError(`${file} has ${stats.size} bytes; at most ${MOST_BYTES} are read.`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is no JSON: ${error.message}`);
    throw error;
  }
}

/** Digests are `sha256:<64 hex>`, so no name leads out of the folder. */
async function assertRaw(folder: string, name: string, digest: string): Promise<void> {
  const file = join(folder, 'raw', digest.replace('sha256:', ''));
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) throw new UsageError(`The raw output of ${name} is not there: ${file}.`);
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
    throw new UsageError(`The raw output of ${name} was changed: ${file} has another digest than its name.`);
}
