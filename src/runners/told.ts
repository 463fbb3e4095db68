/** Vitest and Jest, as the repository has them installed. They run tests in processes of their own, and tell what came of them. */
import { dependsOn, scriptThat } from './package-scripts.ts';
import type { Runner, RunnerCommands } from './runner.ts';

/** Where either looks unless it is told otherwise, and folders of tests, where it often is. */
const TEST_PATHS = [
  /(^|\/)(test|tests|spec|__tests__)\/([^/]+\/)*[^/]+\.[cm]?[jt]sx?$/,
  /[._-](test|spec)\.[cm]?[jt]sx?$/,
];
const SUPPORT = [/(^|\/)(test|tests|spec|__tests__|__mocks__|__snapshots__|__fixtures__)\//];

/** Vite's too, because Vitest reads it where there is none of its own. */
const SETTINGS = [/(^|\/)(?:vite|vitest|jest)(?:[.-]\w+)*\.(?:config|workspace|setup)\.(?:[cm]?[jt]sx?|json)$/];

function told(tool: 'vitest' | 'jest'): Runner {
  return {
    detect: ({ manifests }) =>
      scriptThat(manifests, new RegExp(`(?:^|[\\s/])${tool}(?:\\.[cm]?js)?(?:\\s|$)`)) ?? dependsOn(manifests, tool),
    trust: 'told',
    takesMany: 'apart',
    choosesTests: 'tried',
    testPaths: TEST_PATHS,
    support: SUPPORT,
    settings: SETTINGS,
    programs: ['told-runner.mjs', 'told-tools.mjs', 'own-command.mjs', 'chosen-tests.mjs', 'bare-arguments.cjs'],
    argv: ({ node, script }) => [node, '--disable-sigusr1', script],
    told: (node, { test = '', directory }) => ({ tool, program: node, command: test, above: aboveOf(directory) }),
  };
}

/** The way from the folder that tests run in to the root, where a workspace has its packages. */
function aboveOf(directory: RunnerCommands['directory']): string {
  return (directory ?? '')
    .split('/')
    .filter(Boolean)
    .map(() => '..')
    .join('/');
}

export const vitest = told('vitest');
export const jest = told('jest');
