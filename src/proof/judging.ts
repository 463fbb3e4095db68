/** What a proof works with, and how it runs test files. */
import type { RunnerCommands } from '../runners/runner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { runTests, type TestRun } from '../test-runs/test-run.ts';
import { onCopy } from '../trees/copies.ts';
import type { Dependencies } from '../trees/packages.ts';
import type { Repository } from '../trees/repository.ts';
import type { Change, Range } from './change.ts';
import type { ProofTrees } from './proof-trees.ts';
import type { RequirementList } from './requirements.ts';
import { timeFor } from './trial.ts';

export interface ProofRequest {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly range: Range;
  readonly commands: RunnerCommands;
  readonly dependencies: Dependencies;
  /** Compiles the product in each tree; null where nothing is to be. */
  readonly build: string | null;
  /** For one run of a few test files; more have more. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly parsers: Parsers;
  /** How many faults may be made in the changed lines; 0 measures no strength. */
  readonly faults: number;
  /** Globs of the test files that are asked; all where there is none. */
  readonly scope: readonly string[];
  /** Which tests show which requirement; without it the change is one. */
  readonly requirements?: RequirementList;
  readonly log: (line: string) => void;
}

export interface Judging extends ProofRequest {
  readonly change: Change;
  /** Untouched test files that are asked as the changed ones are. */
  readonly related: ReadonlySet<string>;
  readonly trees: ProofTrees;
}

/** Which test files are asked. */
export function scoped({ scope, commands: { directory } }: ProofRequest) {
  return { tests: [...scope], directory };
}

/** On a copy of the tree. */
export function run(
  { repository, sandbox, commands, timeoutMs, outputBytes }: Judging,
  tree: string,
  { files, expected = [] }: { readonly files: readonly string[]; readonly expected?: readonly string[] },
): Promise<TestRun> {
  return onCopy(repository.scratch, tree, (directory) =>
    runTests({
      ...{ sandbox, directory, commands, files, expected, outputBytes },
      timeoutMs: timeFor(files, timeoutMs),
    }),
  );
}
