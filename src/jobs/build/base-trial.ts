/** Whether the base stands: what is red before a line was written would be red after every try, and each of them would be paid for. */
import type { CommandResult } from '../../sandbox/sandbox.ts';
import { said } from '../report/said.ts';
import { type Bench, runShell, runSuite, SetupError } from '../workspace/environment.ts';
import { onCopy } from './settle.ts';

/** Builds a working copy of the base and runs its whole suite, once. @throws {SetupError} that names what is red, before the model is asked anything. */
export async function tryBase(bench: Bench, tree: string): Promise<void> {
  const { build, test } = bench.brief.commands;
  await onCopy(
    bench,
    async (copy) => {
      if (build !== null) mustPass(bench, { what: 'build', command: build }, await runShell(bench, build, copy));
      mustPass(bench, { what: 'test', command: test }, await runSuite(bench, copy));
    },
    tree,
  );
  bench.environment.log('the base is green');
}

interface Tried {
  readonly what: 'build' | 'test';
  readonly command: string;
}

function mustPass({ brief }: Bench, { what, command }: Tried, result: CommandResult): void {
  if (result.exitCode === 0) return;
  throw new SetupError(
    `The base ${brief.base.slice(0, 7)} is red before anything was built, so no model was asked: the ${what} command ${JSON.stringify(command)} failed: ${said(result, 3000)}`,
  );
}
