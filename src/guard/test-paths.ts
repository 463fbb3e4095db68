/** Where tests live, by runner. */
import type { Commands } from '../loop/brief.ts';

const TEST_PATHS: Readonly<Record<Commands['runner'], readonly RegExp[]>> = {
  'node-test': [/(^|\/)(test|tests|__tests__)\/([^/]+\/)*[^/]+\.[cm]?[jt]sx?$/, /[._-](test|spec)\.[cm]?[jt]sx?$/],
  unittest: [/(^|\/)(test|tests)\/([^/]+\/)*[^/]+\.py$/, /(^|\/)(test_[^/]*|[^/]*_test)\.py$/],
};

/** Whether a file at this path is a test, not part of the product. */
export function isTestPath(path: string, runner: Commands['runner']): boolean {
  return TEST_PATHS[runner].some((pattern) => pattern.test(path));
}
