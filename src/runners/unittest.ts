/** Python's own test runner. */
import { PYTHON_SUPPORT, pythonTestPaths } from './python-test-paths.ts';
import type { Runner } from './runner.ts';

export const unittest: Runner = {
  detect({ files }) {
    const found = files.find((path) => /(?:^|\/)test_[^/]+\.py$/.test(path));
    return found === undefined ? undefined : `there is ${found}`;
  },
  testPaths: pythonTestPaths,
  trust: 'sealed',
  takesMany: 'apart',
  choosesTests: 'believed',
  support: PYTHON_SUPPORT,
  settings: [],
  programs: ['unittest-runner.py'],
  argv: ({ script }) => ['python3', script],
  told: () => ({}),
};
