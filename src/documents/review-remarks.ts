/** What people read of a build that passed: what its reviewers remarked without sending it back, and what its builder tried on frozen tests. */
import { buildReport } from '../loop/brief.ts';
import { FROZEN_TEST } from '../loop/defect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Store } from '../ports.ts';
import { storedReport } from './stored-report.ts';

const TOLD: readonly string[] = ['security-review', 'code-review', FROZEN_TEST];

/** Of the build that passed last; none while another one is at work, because its reviewers speak anew. */
export async function storedRemarks(
  { phase, entries, built: { reports } }: Loop,
  store: Pick<Store, 'blob'>,
): Promise<readonly Defect[]> {
  const last = entries.findLast((entry) => entry.phase === 'BUILD');
  if (phase === 'BUILD' || last?.outcome !== 'passed') return [];
  const report = await storedReport(store, reports.build, buildReport);
  return report?.defects.filter(({ rule }) => TOLD.includes(rule)) ?? [];
}
