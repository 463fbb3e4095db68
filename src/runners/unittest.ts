/** Python's own test runner. */
import type { Runner } from './runner.ts';

export const unittest: Runner = {
  detect({ files }) {
    const found = files.find((path) => /(?:^|\/)test_[^/]+\.py$/.test(path));
    return found === undefined ? undefined : `there is ${found}`;
  },
  testPaths: [/(^|\/)(test|tests)\/([^/]+\/)*[^/]+\.py$/, /(^|\/)(test_[^/]*|[^/]*_test)\.py$/],
  programs: ['unittest-runner.py'],
  argv: ({ script }) => ['python3', script],
  target: ({ file }) => ({ path: file }),
};
