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
  /** How many loops ended so: `succeeded in REFLECT`. */
  ends: z.record(z.string(), z.int()),
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
  return { from, done: 0, simulatedHours: 0, ends: {}, failed: [] };
}

/** With the outcome of the next seed. */
export function counted(sofar: Tally, { seed, failures, trace, simulatedHours, ends }: Outcome): Tally {
  const failed = failures.length === 0 ? [] : [{ seed, failures: [...failures], trace: [...trace] }];
  return {
    ...sofar,
    done: sofar.done + 1,
    simulatedHours: sofar.simulatedHours + simulatedHours,
    ends: added(sofar.ends, ends),
    failed: [...sofar.failed, ...failed],
  };
}

function added(known: Tally['ends'], ends: readonly string[]): Tally['ends'] {
  const counts = { ...known };
  for (const end of ends) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

/** From so many seeds on it says something how far their loops came, */
const TELLING_SEEDS = 10;
/** and so many of them at the least have to come to their end: what none of them reaches breaks no promise. */
const LEAST_WHOLE = 0.4;

/** Why the seeds prove little; undefined where enough of their loops went through all phases. Worlds that broke a promise are cut short. */
export function hollowness({ done, ends, failed }: Tally): string | undefined {
  const countOf = (counted: readonly (readonly [string, number])[]): number =>
    counted.reduce((sum, [, count]) => sum + count, 0);
  const all = countOf(Object.entries(ends));
  const whole = countOf(Object.entries(ends).filter(([end]) => end.startsWith('succeeded')));
  if (done < TELLING_SEEDS || failed.length > 0 || (whole > 0 && whole >= LEAST_WHOLE * all)) return undefined;
  return `${whole} of ${all} loops came to their end, fewer than ${LEAST_WHOLE * 100} in 100: what comes after is not tested. See where they stop, and mend the world.`;
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
