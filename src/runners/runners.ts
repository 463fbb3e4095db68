/** The test runners by the name that a configuration gives them. */
import { type Commands, commands } from '../loop/brief.ts';
import { nodeTest } from './node-test.ts';
import type { RepositoryFacts, Runner } from './runner.ts';
import { unittest } from './unittest.ts';

export const RUNNERS: Readonly<Record<Commands['runner'], Runner>> = { 'node-test': nodeTest, unittest };

export interface DetectedRunner {
  readonly name: Commands['runner'];
  /** What says so. */
  readonly why: string;
}

/** The first runner that a repository shows signs of; those whose signs are surer come first in the table. */
export function detectRunner(repository: RepositoryFacts): DetectedRunner | undefined {
  for (const name of RUNNER_NAMES) {
    const why = RUNNERS[name].detect(repository);
    if (why !== undefined) return { name, why };
  }
  return undefined;
}

export const RUNNER_NAMES: readonly Commands['runner'][] = commands.shape.runner.options;
