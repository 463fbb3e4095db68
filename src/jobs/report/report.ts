/** Hands the report over: `report.json` in the artifact, and the verdict as the job's output. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, report as reportSchema } from '../../loop/brief.ts';
import { allPassed, type Standard, verdictsOf } from '../../loop/gates.ts';
import { isDraft } from '../seed/draft.ts';

const PHASES = { build: 'BUILD', seed: 'SEED_DATA', verify: 'VERIFY' } as const;

/** `open` is a draft, with which a later step goes on. */
export type ReportVerdict = 'pass' | 'fail' | 'open';

interface Place extends Omit<Standard, 'phase'> {
  /** Becomes the artifact. */
  readonly output: string;
  /** Of what is no report yet. */
  readonly drafts: string;
  readonly githubOutput: string | undefined;
}

/**
 * Writes the report, or the draft of one, and, where GitHub wants outputs, `verdict=pass|fail|open`; only what comes after it in the run reads the
 * verdict, the App decides from the report. @throws {ZodError} when the report does not have the agreed shape.
 */
export async function writeReport(report: Report, place: Place): Promise<ReportVerdict> {
  const checked = reportSchema.parse(report);
  const folder = isDraft(checked) ? place.drafts : place.output;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(checked, null, 1)}\n`);
  const verdict = isDraft(checked) ? 'open' : verdictOf(checked, place);
  if (place.githubOutput !== undefined) await appendFile(place.githubOutput, `verdict=${verdict}\n`);
  return verdict;
}

function verdictOf(report: Report, standard: Omit<Standard, 'phase'>): 'pass' | 'fail' {
  const gates = verdictsOf({ ...standard, phase: PHASES[report.kind] }, report.measurements);
  return report.failure === null && allPassed(gates) ? 'pass' : 'fail';
}
