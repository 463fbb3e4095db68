/** Installs what the product needs in a working copy, by the repository's own command. */
import { said } from '../report/said.ts';
import { type Installable, JobError, runShell, SetupError } from './environment.ts';
import { newPackages } from './new-packages.ts';
import { newRequirements } from './new-requirements.ts';

export interface Installing {
  /** On which commit, as in ` on the base`. */
  readonly where?: string;
  /** Whether nothing of the loop's is there yet, so that only a person can mend what fails. */
  readonly isUntouched?: boolean;
  /** Whether somebody will work in it who can mend what the candidate adds and cannot be had. */
  readonly isWorkedOn?: boolean;
}

/**
 * Lays what the set-up action has fetched, and what the tree's lock files name besides. Does nothing where the repository has no command for it, and
 * nothing is named, and says so. @throws {JobError} when it fails; a {@link SetupError} where the loop has no part in it.
 */
export async function install(bench: Installable, directory: string, how: Installing = {}): Promise<boolean> {
  const { where = '', isUntouched = false } = how;
  const added = await addedIn(bench, directory, how);
  const command = bench.brief.commands.install ?? (added === undefined ? null : LAYS);
  if (command === null) return false;
  const env = added === undefined ? {} : { LOOPWRIGHT_SETUP: added };
  const result = await runShell(bench, command, directory, { env });
  if (result.exitCode === 0) return true;
  // Most of these commands want a registry, and what they say of it does not tell why it is not there.
  const network =
    bench.environment.sandbox.kind === 'none'
      ? ''
      : ' (the sandbox has no network but to `commands.hosts`; README.md says how to install offline)';
  const message = `The install command ${JSON.stringify(command)} failed${where}${network}: ${said(result, 3000)}`;
  throw isUntouched ? new SetupError(message) : new JobError(message);
}

/** In the sandbox too: a candidate can have laid links where packages go. */
const LAYS = 'cp -a --remove-destination -- "$LOOPWRIGHT_SETUP/." .';

async function addedIn(
  bench: Installable,
  directory: string,
  { isWorkedOn = false }: Installing,
): Promise<string | undefined> {
  const orTold = async <Result>(adding: Promise<Result>): Promise<Result | undefined> => {
    if (!isWorkedOn) return adding;
    return adding.catch((error: unknown) => {
      if (!(error instanceof JobError) || error instanceof SetupError) throw error;
      bench.environment.log(error.message);
      return undefined;
    });
  };
  await orTold(newRequirements(bench, directory));
  return orTold(newPackages(bench, directory));
}
