/** The stored report of VERIFY, the one source of what people see as evidence. */

import { type VerifyReport, verifyReport } from '../loop/brief.ts';
import type { Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';
import { storedReport } from './stored-report.ts';

/** The report of this iteration; undefined until VERIFY has reported in it. */
export async function storedVerifyReport(
  { built: { reports } }: Loop,
  store: Store,
): Promise<VerifyReport | undefined> {
  return storedReport(store, reports.verify, verifyReport);
}
