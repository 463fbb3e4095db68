/** Who acts below `/_local`, and on which repository: the same people with the same rights as on the REST API. */
import { judgeAccess, type Need } from '../access.ts';
import type { Host } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { findRepository } from '../repository-records.ts';
import { actorOf } from '../tokens.ts';

export interface Place {
  readonly owner: string;
  readonly repo: string;
}

/** The repository of a route. @throws HttpError 404 */
export function repositoryAt(host: Host, { owner, repo }: Place): Repository {
  return found(findRepository(host, { owner, repo }));
}

export interface Asking {
  readonly authorization: string | undefined;
  readonly repository: Repository;
  readonly need: Need;
}

/** The login of the person who may do this. @throws HttpError 401 or 403 */
export function personAt(host: Host, { authorization, repository, need }: Asking): string {
  const actor = actorOf(host, authorization);
  if (actor.type !== 'user') throw new HttpError(401, 'Requires authentication');
  judgeAccess(host, { actor, need, repository });
  return actor.account.login;
}
