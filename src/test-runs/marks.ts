/** What a run of tests marks in a copy, to tell where it comes to. */
import { randomBytes } from 'node:crypto';
import { placeOf, readRegular } from '../sandbox/inside.ts';
import type { TestRun } from './test-verdict.ts';

/** More marks than any product has; the code under test can write there too. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A name for the file of marks that nobody can have written before. */
export function marksName(): string {
  return `.reached-${randomBytes(8).toString('hex')}`;
}

/** The marks in that file of a copy; none where it is no file, or a longer one than marks can make. */
export async function marksIn(copy: string, name: string): Promise<ReadonlySet<string>> {
  const place = await placeOf(copy, name);
  if (place.refusal !== undefined || place.stats?.isFile() !== true || place.stats.size > MOST_BYTES) return new Set();
  return new Set((await readRegular(place.absolute)).toString('utf8').split('\n'));
}

/** Whether the run can be believed, and each of the tests passed. */
export function isGreenRun({ trusted, results }: TestRun, ids: readonly string[]): boolean {
  return trusted && ids.every((id) => results.get(id)?.outcome === 'pass');
}
