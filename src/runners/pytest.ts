/** pytest, as the repository has it installed. */
import { pythonTestPaths } from './python-test-paths.ts';
import type { Runner } from './runner.ts';

/** Files that only repositories with pytest have. */
const OWN_FILES = /(?:^|\/)(?:conftest\.py|pytest\.ini)$/;

export const pytest: Runner = {
  detect({ files, manifests }) {
    const file = files.find((path) => OWN_FILES.test(path));
    if (file !== undefined) return `there is ${file}`;
    const [named] = [...manifests].find(([, text]) => /\bpytest\b/.test(text)) ?? [];
    return named === undefined ? undefined : `${named} speaks of pytest`;
  },
  trust: 'sealed',
  takesMany: 'together',
  testPaths: pythonTestPaths,
  support: [/(^|\/)conftest\.py$/],
  settings: [],
  programs: ['pytest-runner.py', 'judges.py', 'sealed.py'],
  argv: ({ script }) => ['python3', script],
  told: () => ({}),
};
