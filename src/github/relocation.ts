/** What is elsewhere now: requests under a name that the repository no longer has, and where it is. https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects */
import type { Octokit } from '@octokit/rest';
import { GoneError, RelocatedError } from '../errors.ts';
import type { Client } from './github-client.ts';
import { hasStatus } from './github-errors.ts';
import type { Place, RepositoryRef } from './github-port.ts';

type Fetch = typeof globalThis.fetch;

export interface Within {
  /** REST base address. */
  readonly apiUrl: string;
  /** The only repository that a redirect may lead to; undefined: none. */
  readonly repositoryId: number | undefined;
}

/**
 * Wraps `send` for the requests of one repository: a read goes on by its id, once, with our token; nothing else is sent on.
 * @throws {RelocatedError} when the name is no longer that of the repository, {GoneError} for an issue that another repository has now.
 */
export function followingId(send: Fetch, within: Within): Fetch {
  const base = within.apiUrl.replace(/\/$/, '');
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await send(request);
    const target = redirectOf(request, response);
    if (target === undefined) return response;
    if (request.method !== 'GET' || !isBelow(`${base}/repositories/${within.repositoryId}`, target))
      throw movedAway(request, response.status, target);
    const byId = new Request(target, { headers: request.headers, signal: request.signal });
    const answer = await send(byId);
    const further = redirectOf(byId, answer);
    if (further === undefined) return answer;
    throw movedAway(byId, answer.status, further);
  };
}

/** As the URL class reads it, so that dots in a path have had their effect. */
function redirectOf({ url }: Request, { status, headers }: Response): string | undefined {
  const location = headers.get('location');
  return status < 300 || status > 399 || location === null ? undefined : new URL(location, url).href;
}

function isBelow(address: string, target: string): boolean {
  return target.startsWith(address) && ['', '/', '?'].includes(target.charAt(address.length));
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

/** Where the repository with this id is now: in its own installation, or in the one that has it after a transfer. */
export async function locate(client: Client, repository: RepositoryRef): Promise<Place | undefined> {
  const place = await placeIn(client, repository);
  if (place !== undefined) return place;
  const installationId = await installationOf(client.app(), repository.repositoryId);
  if (installationId === undefined || installationId === repository.installationId) return undefined;
  return placeIn(client, { ...repository, installationId });
}

/** A new token that reaches this repository only lists it alone; 404: no such installation, 422: it does not have the repository. */
async function placeIn(client: Client, repository: RepositoryRef): Promise<Place | undefined> {
  client.renew(repository);
  try {
    const { octokit } = await client.call(repository);
    const { data } = await octokit.rest.apps.listReposAccessibleToInstallation();
    const found = data.repositories.find(({ id }) => id === repository.repositoryId);
    if (found === undefined) return undefined;
    const { installationId } = repository;
    return { owner: found.owner.login, repo: found.name, installationId, archived: found.archived };
  } catch (error) {
    if (hasStatus(error, 404, 422)) return undefined;
    throw error;
  }
}

// Not a literal type: GitHub's description has the names only, and Octokit's types follow it.
const INSTALLATION: string = 'GET /repositories/{repository_id}/installation';

async function installationOf(app: Octokit, repositoryId: number): Promise<number | undefined> {
  try {
    const { data } = await app.request(INSTALLATION, { repository_id: repositoryId });
    return data.id;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}
