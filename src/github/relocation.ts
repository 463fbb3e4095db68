/** What is elsewhere now: requests under a name that the repository no longer has, and where it is. */
import { GoneError, LoopError, RelocatedError } from '../errors.ts';
import type { Client } from './github-client.ts';
import type { Place, RepositoryRef } from './github-port.ts';

type Fetch = typeof globalThis.fetch;

export interface Within {
  /** REST base address. */
  readonly apiUrl: string;
  /** Undefined for what belongs to no repository. */
  readonly repositoryId: number | undefined;
}

/**
 * Wraps `send` for the requests of one repository: reads go by its id, so that they are of this repository also when it has another name, or another one
 * has taken its name. Writes go by the name, as the request table knows them. Nothing is sent on.
 * @throws {RelocatedError} when the name is no longer that of the repository, {GoneError} for an issue that another repository has now.
 */
export function readingById(send: Fetch, { apiUrl, repositoryId }: Within): Fetch {
  const base = apiUrl.replace(/\/$/, '');
  return async (input, init) => {
    const request = new Request(input, init);
    const asked = request.method === 'GET' && repositoryId !== undefined ? byId(request, base, repositoryId) : request;
    const response = await send(asked);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    throw movedAway(request, response.status, new URL(location, asked.url).href);
  };
}

/** GitHub serves whatever is below the name below the id too, in its own links to further pages as well; its description does not say so. */
function byId({ url, headers, signal }: Request, base: string, repositoryId: number): Request {
  const [, below] = /^\/repos\/[^/?]+\/[^/?]+(.*)$/.exec(url.startsWith(base) ? url.slice(base.length) : '') ?? [];
  return new Request(below === undefined ? url : `${base}/repositories/${repositoryId}${below}`, { headers, signal });
}

const ISSUE_ELSEWHERE = /\/repositories\/\d+\/issues\/\d+/;

function movedAway({ method, url }: Request, status: number, target: string): RelocatedError | GoneError {
  const { pathname } = new URL(url);
  const isIssue = status === 301 && /\/issues\/\d+/.test(pathname) && ISSUE_ELSEWHERE.test(target);
  return isIssue
    ? new GoneError(`GitHub answered 301 to ${method} ${pathname}: the issue has moved to ${target}.`, { status })
    : new RelocatedError(
        `GitHub answered ${status} to ${method} ${pathname}: the repository has another name now, see ${target}. The request was not sent on.`,
        { status },
      );
}

/** Asks GitHub until there is an answer to be believed. */
export type Ask = <Value>(operation: () => Promise<Value>) => Promise<Value>;

/** Where the repository with this id is now: in its own installation, or in the one that has it after a transfer. */
export async function locate(client: Client, repository: RepositoryRef, ask: Ask): Promise<Place | undefined> {
  const place = await placeIn(client, repository, ask);
  if (place !== undefined) return place;
  const installationId = (await installationOf(client, repository.repositoryId, ask))?.id;
  if (installationId === undefined || installationId === repository.installationId) return undefined;
  return placeIn(client, { ...repository, installationId }, ask);
}

/** A new token that reaches this repository only lists it alone; 404: no such installation, 422: it does not have the repository. */
async function placeIn(client: Client, repository: RepositoryRef, ask: Ask): Promise<Place | undefined> {
  client.renew(repository);
  const listed = await noneAt([404, 422], () =>
    ask(async () => {
      const { octokit } = await client.call(repository);
      return octokit.rest.apps.listReposAccessibleToInstallation();
    }),
  );
  const found = listed?.data.repositories.find(({ id }) => id === repository.repositoryId);
  if (found === undefined) return undefined;
  const { installationId } = repository;
  return { owner: found.owner.login, repo: found.name, installationId };
}

// Not a literal type: GitHub's description has the names only, and Octokit's types follow it.
const INSTALLATION: string = 'GET /repositories/{repository_id}/installation';

/** The installation that has the repository with this id. */
export async function installationOf({ app }: Client, repositoryId: number, ask: Ask) {
  const found = await noneAt([404], () => ask(() => app().request(INSTALLATION, { repository_id: repositoryId })));
  return found?.data;
}

async function noneAt<Value>(statuses: readonly number[], asking: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof LoopError && error.status !== undefined && statuses.includes(error.status)) return undefined;
    throw error;
  }
}
