/** Where tests live, by runner. */
import type { RunnerName } from '../runners/runners.ts';
import { RUNNERS } from '../runners/runners.ts';

/** Whether a file at this path is there for tests, not part of the product. */
export function isTestPath(path: string, runner: RunnerName): boolean {
  return isTestFile(path, runner) || RUNNERS[runner].support.some((pattern) => pattern.test(path));
}

/** Whether a file at this path may hold tests. */
export function isTestFile(path: string, runner: RunnerName): boolean {
  return RUNNERS[runner].testPaths.some((pattern) => pattern.test(path));
}
