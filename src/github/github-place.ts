/** Where a repository is by now, found by its id. */
import { LoopError } from '../errors.ts';
import type { Call } from './github-client.ts';
import { hasStatus } from './github-errors.ts';
import type { GitHub, RepositoryRef } from './github-port.ts';

type Place = Awaited<ReturnType<GitHub['locate']>>;

/** The token reaches one repository, by its id, so the list holds that one, under its present name. */
export async function locate({ octokit }: Call, { installationId, repositoryId }: RepositoryRef): Promise<Place> {
  const { data } = await octokit.rest.apps.listReposAccessibleToInstallation({ per_page: 100 });
  const found = data.repositories.find(({ id }) => id === repositoryId);
  return found && { installationId, owner: found.owner.login, repo: found.name };
}

/** GitHub gives no token for what the installation does not reach. */
export function unreachable(error: unknown): undefined {
  if (error instanceof LoopError && hasStatus(error.cause, 404, 422)) return undefined;
  throw error;
}
