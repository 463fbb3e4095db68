/** Where tests live, by runner. */
import type { RunnerName } from '../runners/runners.ts';
import { RUNNERS } from '../runners/runners.ts';

/** Whether a file at this path is a test, not part of the product. */
export function isTestPath(path: string, runner: RunnerName): boolean {
  return RUNNERS[runner].testPaths.some((pattern) => pattern.test(path));
}
