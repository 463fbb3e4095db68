/** The test runners by the name that a configuration gives them. */
import type { Commands } from '../loop/brief.ts';
import { junit } from './junit.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import type { RepositoryFacts, Runner } from './runner.ts';
import { jest, vitest } from './told.ts';
import { unittest } from './unittest.ts';

export type RunnerName = Commands['runner'];

/** Whose signs are surer comes first. */
export const RUNNERS: Readonly<Record<RunnerName, Runner>> = {
  'node-test': nodeTest,
  vitest,
  jest,
  pytest,
  unittest,
  junit,
};
export const RUNNER_NAMES: readonly RunnerName[] = ['node-test', 'vitest', 'jest', 'pytest', 'unittest', 'junit'];

export interface DetectedRunner<Name extends RunnerName> {
  readonly name: Name;
  /** What says so. */
  readonly why: string;
}

/** The first of these runners that a repository shows signs of; what its root says counts before what lies deeper, where examples and fixtures may have others. */
export function detectRunner<Name extends RunnerName>(
  repository: RepositoryFacts,
  names: readonly Name[],
): DetectedRunner<Name> | undefined {
  const root = new Map([...repository.manifests].filter(([path]) => !path.includes('/')));
  return signOf({ files: [], manifests: root }, names) ?? signOf(repository, names);
}

function signOf<Name extends RunnerName>(
  repository: RepositoryFacts,
  names: readonly Name[],
): DetectedRunner<Name> | undefined {
  for (const name of names) {
    const why = RUNNERS[name].detect(repository);
    if (why !== undefined) return { name, why };
  }
  return undefined;
}
