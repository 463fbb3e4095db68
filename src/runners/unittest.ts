/** Python's own test runner. */
import type { Runner } from './runner.ts';

export const unittest: Runner = {
  testPaths: [/(^|\/)(test|tests)\/([^/]+\/)*[^/]+\.py$/, /(^|\/)(test_[^/]*|[^/]*_test)\.py$/],
  programs: ['unittest-runner.py'],
  argv: ({ script }) => ['python3', script],
  target: ({ file }) => ({ path: file }),
};
