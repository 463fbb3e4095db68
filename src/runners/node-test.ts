/** Node's own test runner. */
import { scriptThat } from './package-scripts.ts';
import type { Runner } from './runner.ts';

export const nodeTest: Runner = {
  detect: ({ manifests }) => scriptThat(manifests, /\b(?:node|tsx)\b.*\s--test\b/),
  testPaths: [/(^|\/)(test|tests|__tests__)\/([^/]+\/)*[^/]+\.[cm]?[jt]sx?$/, /[._-](test|spec)\.[cm]?[jt]sx?$/],
  trust: 'sealed',
  takesMany: 'apart',
  choosesTests: 'tried',
  support: [/(^|\/)(test|tests|__tests__)\//],
  settings: [],
  programs: [
    'node-test-files.mjs',
    'chosen-tests.mjs',
    ...['node-test-runner.mjs', 'node-test-request.mjs', 'node-test-lock.mjs', 'node-test-thread.cjs'],
    ...['node-options.mjs', 'own-command.mjs'],
  ],
  // The signal would open the debugger. As many runs as there are processors go on at a time, so that more threads in each would only wait for them.
  argv: ({ node, script, testMs }) => [
    ...[node, '--disable-sigusr1', '--v8-pool-size=1', '--experimental-import-meta-resolve'],
    ...[`--test-timeout=${testMs}`, script],
  ],
  told: (node, { test = '' }) => ({ program: node, command: test }),
};
