/** Hands the report over: `report.json` in the artifact, and the verdict as the job's output. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, report as reportSchema } from '../../loop/brief.ts';
import { allPassed, type Standard, verdictsOf } from '../../loop/gates.ts';

const PHASES = { build: 'BUILD', seed: 'SEED_DATA', verify: 'VERIFY' } as const;

/**
 * Writes the report and, where GitHub wants outputs, `verdict=pass|fail`; only a job after this one reads the verdict, the App decides from the report.
 * @throws {ZodError} when the report does not have the agreed shape.
 */
export async function writeReport(
  report: Report,
  place: { readonly output: string; readonly githubOutput: string | undefined } & Omit<Standard, 'phase'>,
): Promise<'pass' | 'fail'> {
  const checked = reportSchema.parse(report);
  await mkdir(place.output, { recursive: true });
  await writeFile(join(place.output, 'report.json'), `${JSON.stringify(checked, null, 1)}\n`);
  const gates = verdictsOf({ ...place, phase: PHASES[checked.kind] }, checked.measurements);
  const verdict = checked.failure === null && allPassed(gates) ? 'pass' : 'fail';
  if (place.githubOutput !== undefined) await appendFile(place.githubOutput, `verdict=${verdict}\n`);
  return verdict;
}
