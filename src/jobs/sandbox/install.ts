/** Installs what the product needs in a working copy, by the repository's own command. */

import { said } from '../report/said.ts';
import { type Bench, JobError, runShell } from './environment.ts';

/** Does nothing where the repository has no such command. @throws {JobError} when it fails; `where` says on which commit, as in ` on the base`. */
export async function install(bench: Bench, directory: string, where = ''): Promise<void> {
  const { install: command } = bench.brief.commands;
  if (command === null) return;
  const result = await runShell(bench, command, directory);
  if (result.exitCode === 0) return;
  // Most of these commands want a registry, and what they say of it does not tell why it is not there.
  const network =
    bench.environment.sandbox.kind === 'none'
      ? ''
      : ' (the sandbox has no network; README.md says how to install offline)';
  throw new JobError(`The install command ${JSON.stringify(command)} failed${where}${network}: ${said(result, 3000)}`);
}
