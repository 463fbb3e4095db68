/** pytest, as the repository has it installed. */
import { PYTHON_SUPPORT, pythonTestPaths } from './python-test-paths.ts';
import type { Runner } from './runner.ts';

/** Files that only repositories with pytest have. */
const OWN_FILES = /(?:^|\/)(?:conftest\.py|pytest\.ini)$/;

/** Functions outside of a class are no tests for unittest, nor is anything in a class that is no case of its own. */
const NOT_OF_UNITTEST = /^(?:async )?def test_|^(?:import|from) pytest\b|^class Test\w*(?:\(object\)|\(\))?:/m;

export const pytest: Runner = {
  detect({ files, manifests, tests = new Map() }) {
    const file = files.find((path) => OWN_FILES.test(path));
    if (file !== undefined) return `there is ${file}`;
    const [named] = [...manifests].find(([, text]) => /\bpytest\b/.test(text)) ?? [];
    if (named !== undefined) return `${named} speaks of pytest`;
    const [plain] = [...tests].find(([, text]) => NOT_OF_UNITTEST.test(text)) ?? [];
    return plain === undefined ? undefined : `${plain} has tests that only pytest runs`;
  },
  trust: 'sealed',
  takesMany: 'together',
  choosesTests: 'believed',
  testPaths: pythonTestPaths,
  support: [...PYTHON_SUPPORT, /(^|\/)conftest\.py$/],
  settings: [],
  programs: ['pytest-runner.py', 'judges.py', 'sealed.py'],
  argv: ({ script }) => ['python3', script],
  told: () => ({}),
};
