/** What the reviewers of a build remarked without sending it back; the one source of what people read of it. */
import { buildReport } from '../loop/brief.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Store } from '../ports.ts';
import { storedReport } from './stored-report.ts';

const REVIEWS: readonly string[] = ['security-review', 'code-review'];

/** Of the build that passed last; none while another one is at work, because its reviewers speak anew. */
export async function storedRemarks(
  { phase, entries, built: { reports } }: Loop,
  store: Pick<Store, 'blob'>,
): Promise<readonly Defect[]> {
  const last = entries.findLast((entry) => entry.phase === 'BUILD');
  if (phase === 'BUILD' || last?.outcome !== 'passed') return [];
  const report = await storedReport(store, reports.build, buildReport);
  return report?.defects.filter(({ rule }) => REVIEWS.includes(rule)) ?? [];
}
