/** Installs what the product needs in a working copy, by the repository's own command. */

import { said } from '../report/said.ts';
import { type Bench, JobError, runShell, SetupError } from './environment.ts';

export interface Installing {
  /** On which commit, as in ` on the base`. */
  readonly where?: string;
  /** Whether nothing of the loop's is there yet, so that only a person can mend what fails. */
  readonly isUntouched?: boolean;
}

/** Does nothing where the repository has no such command. @throws {JobError} when it fails; a {@link SetupError} where the loop has no part in it. */
export async function install(
  bench: Bench,
  directory: string,
  { where = '', isUntouched = false }: Installing = {},
): Promise<void> {
  const { install: command } = bench.brief.commands;
  if (command === null) return;
  const result = await runShell(bench, command, directory);
  if (result.exitCode === 0) return;
  // Most of these commands want a registry, and what they say of it does not tell why it is not there.
  const network =
    bench.environment.sandbox.kind === 'none'
      ? ''
      : ' (the sandbox has no network; README.md says how to install offline)';
  const message = `The install command ${JSON.stringify(command)} failed${where}${network}: ${said(result, 3000)}`;
  throw isUntouched ? new SetupError(message) : new JobError(message);
}
