/** Python's own test runner. */
import { pythonTestPaths } from './python-test-paths.ts';
import type { Runner } from './runner.ts';

export const unittest: Runner = {
  detect({ files }) {
    const found = files.find((path) => /(?:^|\/)test_[^/]+\.py$/.test(path));
    return found === undefined ? undefined : `there is ${found}`;
  },
  testPaths: pythonTestPaths,
  trust: 'sealed',
  takesMany: 'apart',
  support: [],
  settings: [],
  programs: ['unittest-runner.py'],
  argv: ({ script }) => ['python3', script],
  told: () => ({}),
};
