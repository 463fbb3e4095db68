/** Whether the base stands: what is red before a line was written would be red after every try, and each of them would be paid for. */
import { said } from '../report/said.ts';
import { type Bench, runShell, SetupError } from '../workspace/environment.ts';
import { onCopy } from './settle.ts';

/** Builds a working copy of the base and runs its whole suite, once. @throws {SetupError} that names what is red, before the model is asked anything. */
export async function tryBase(bench: Bench, tree: string): Promise<void> {
  const { commands, limits } = bench.brief;
  await onCopy(
    bench,
    async (copy) => {
      if (commands.build !== null) await mustPass(bench, copy, { what: 'build', command: commands.build });
      await mustPass(bench, copy, { what: 'test', command: commands.test, timeoutMs: limits.suiteTimeoutMs });
    },
    tree,
  );
  bench.environment.log('the base is green');
}

interface Tried {
  readonly what: 'build' | 'test';
  readonly command: string;
  readonly timeoutMs?: number;
}

async function mustPass(bench: Bench, directory: string, { what, command, timeoutMs }: Tried): Promise<void> {
  const result = await runShell(bench, command, directory, timeoutMs);
  if (result.exitCode === 0) return;
  const { base } = bench.brief;
  throw new SetupError(
    `The base ${base.slice(0, 7)} is red before anything was built, so no model was asked: the ${what} command ${JSON.stringify(command)} failed: ${said(result, 3000)}`,
  );
}
