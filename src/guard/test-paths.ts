/** Where tests live, by runner. */
import type { RunnerName } from '../runners/runners.ts';
import { RUNNERS } from '../runners/runners.ts';

/** What tests of any runner compare with, wherever it lies; node:test keeps it beside the test. */
const COMPARED_WITH = /(?:^|\/)(?:__snapshots__|__fixtures__|testdata)\/|\.[cm]?[jt]sx?\.snapshot$/;

/** Whether a file at this path is there for tests, not part of the product. */
export function isTestPath(path: string, runner: RunnerName): boolean {
  const isSupport = COMPARED_WITH.test(path) || RUNNERS[runner].support.some((pattern) => pattern.test(path));
  return isSupport || isTestFile(path, runner);
}

/** Whether a file at this path may hold tests. */
export function isTestFile(path: string, runner: RunnerName): boolean {
  return RUNNERS[runner].testPaths.some((pattern) => pattern.test(path));
}
