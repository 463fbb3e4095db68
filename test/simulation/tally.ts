/** What came of the seeds so far, kept in a file where one is given: the same command goes on where it was left. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { UsageError } from '../command-line.ts';
import type { Outcome } from './simulate.ts';

const tally = z.strictObject({
  from: z.int(),
  /** So many seeds from the first one on have been simulated. */
  done: z.int(),
  simulatedHours: z.number(),
  failed: z.array(
    z.strictObject({
      seed: z.int(),
      failures: z.array(z.strictObject({ invariant: z.string(), sentence: z.string(), detail: z.string() })),
      /** Empty where the failure was read from a file. */
      trace: z.array(z.string()),
    }),
  ),
});
export type Tally = z.infer<typeof tally>;

export function emptyTally(from: number): Tally {
  return { from, done: 0, simulatedHours: 0, failed: [] };
}

/** With the outcome of the next seed. */
export function counted(sofar: Tally, { seed, failures, trace, simulatedHours }: Outcome): Tally {
  const failed = failures.length === 0 ? [] : [{ seed, failures: [...failures], trace: [...trace] }];
  return {
    ...sofar,
    done: sofar.done + 1,
    simulatedHours: sofar.simulatedHours + simulatedHours,
    failed: [...sofar.failed, ...failed],
  };
}

/** What the file holds, or a new tally in it. @throws {UsageError} when it holds something else or seeds from another one on, or cannot be written. */
export async function openTally(file: string, from: number): Promise<Tally> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return beginTally(file, from);
  const kept = tally.safeParse(parsed(text));
  if (!kept.success) throw new UsageError(`--state ${file} is not a state of the simulation; name a new file.`);
  if (kept.data.from === from) return kept.data;
  throw new UsageError(
    `--state ${file} holds seeds from ${kept.data.from} on; say --from ${kept.data.from} or name a new file.`,
  );
}

async function beginTally(file: string, from: number): Promise<Tally> {
  const begun = emptyTally(from);
  try {
    await writeTally(file, begun);
    return begun;
  } catch (error) {
    throw new UsageError(`--state ${file} cannot be written (${String(error)}); name a file in a directory of yours.`);
  }
}

/** Whole or not at all: the command may be ended at any moment. */
export async function writeTally(file: string, sofar: Tally): Promise<void> {
  const failed = sofar.failed.map((one) => ({ ...one, trace: [] }));
  await writeFile(`${file}.new`, `${JSON.stringify({ ...sofar, failed })}\n`);
  await rename(`${file}.new`, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
