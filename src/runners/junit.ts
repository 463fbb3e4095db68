/** Any command that writes JUnit's XML. It runs tests in processes of its own, and tells what came of them. */
import type { Runner } from './runner.ts';

/** Where tools of many languages look for tests. */
const CODE = String.raw`\.(?:[cm]?[jt]sx?|py|rb|php|lua|ex|exs)$`;
const TEST_PATHS = [
  new RegExp(String.raw`(^|\/)(test|tests|spec|specs|__tests__)\/([^/]+\/)*[^/]+${CODE}`),
  new RegExp(`[._-](test|spec)${CODE}`),
  new RegExp(String.raw`(^|\/)test_[^/]*${CODE}`),
];

export const junit: Runner = {
  // Only people know the command.
  detect: () => undefined,
  trust: 'told',
  takesMany: 'apart',
  choosesTests: 'never',
  testPaths: TEST_PATHS,
  support: [/(^|\/)(test|tests|spec|specs|__tests__)\//],
  settings: [/(^|\/)\.(?:mocharc|taprc|nycrc)(?:\.[cm]?js|\.json|\.jsonc|\.ya?ml)?$/],
  programs: ['junit-runner.mjs', 'junit-report.mjs'],
  argv: ({ node, script }) => [node, '--disable-sigusr1', script],
  told: (_node, { junit: command }) => (command ? { run: command.run, sentinel: command.sentinel } : {}),
};
