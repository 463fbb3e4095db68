/** Who may do what: permissions of tokens, roles of people, and what is archived or private. */
import type { Host } from './host.ts';
import { HttpError, notAccessible, notFound } from './http-error.ts';
import { type Repository, ROLES, type Role } from './records.ts';
import { judgeArchived } from './standing.ts';
import type { Actor } from './tokens.ts';

/** What an endpoint asks of its caller. */
export interface Need {
  /** `contents`, `issues` …; a token of the App or of a job needs it at `level`. */
  readonly permission: string;
  readonly level: 'read' | 'write';
  /** What a person needs; `anybody` also admits the anonymous, `signed in` every account, `app` no person at all. */
  readonly people: Role | 'anybody' | 'signed in' | 'app';
  /** Only the App's JWT will do. */
  readonly jwt?: boolean;
}

/** Reads of what is public; where a repository is private, of whoever has it. */
export const PUBLIC: Need = { permission: 'metadata', level: 'read', people: 'anybody' };

/** Writing what a repository holds: files, commits, refs. */
export const CONTENTS_WRITE: Need = { permission: 'contents', level: 'write', people: 'write' };

/** The App by its JWT. */
export const JWT: Need = { permission: 'metadata', level: 'read', people: 'app', jwt: true };

interface Access {
  readonly actor: Actor;
  readonly need: Need;
  readonly repository: Repository | undefined;
}

/** Refuses an actor whose token or role does not reach, and who writes to what is archived. @throws HttpError */
export function judgeAccess(host: Host, access: Access): void {
  const { actor, need, repository } = access;
  if (need.jwt === true || actor.type === 'app') {
    judgeJwt(actor, need);
    return;
  }
  if (repository && host.switches.values().arranged.isPrivate) judgePrivate(host, { actor, need, repository });
  judgeReach(host, access);
  if (repository) judgeArchived(host, need);
}

function judgeReach(host: Host, { actor, need, repository }: Access): void {
  if (need.people === 'anybody') return;
  if (actor.type === 'anonymous') throw new HttpError(401, 'Requires authentication');
  if (actor.type === 'user') judgePerson(host, { login: actor.account.login, need, repository });
  else if ('permissions' in actor) judgeToken(actor, need, repository);
}

/** What is private is nothing to those who do not have it; tokens read in it what their permissions say. @throws HttpError 403 or 404 */
function judgePrivate(
  host: Host,
  { actor, need, repository }: { readonly actor: Actor; readonly need: Need; readonly repository: Repository },
): void {
  const isSeen =
    actor.type === 'user'
      ? givenRoleOf(host, repository, actor.account.login) !== undefined
      : 'repositoryIds' in actor && (actor.repositoryIds?.includes(repository.id) ?? true);
  if (!isSeen) throw notFound();
  if ('permissions' in actor) judgeToken(actor, need, repository);
}

/** A person's role on a repository; everybody else reads what is public. */
export function roleOf(host: Host, repository: Repository, login: string): Role {
  return givenRoleOf(host, repository, login) ?? 'read';
}

function givenRoleOf(host: Host, repository: Repository, login: string): Role | undefined {
  const collaborator = host.state.collaborators.first({ repositoryId: repository.id, login });
  return collaborator?.role ?? host.state.accounts.first({ login })?.role;
}

/** Whether `role` includes `wanted`. */
export function reaches(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/** Whether whoever may write contents may write workflow files too: people may, Apps by a permission of their own, a job's token never. */
export function mayWriteWorkflows(actor: Actor): boolean {
  return actor.type === 'user' || (actor.type === 'installation' && actor.permissions.workflows === 'write');
}

function judgeJwt(actor: Actor, need: Need): void {
  if (need.jwt === true) {
    if (actor.type !== 'app') throw new HttpError(401, 'A JSON web token could not be decoded');
    return;
  }
  if (need.people !== 'anybody')
    throw new HttpError(403, 'Resource not accessible by integration: use an installation token');
}

interface Person {
  readonly login: string;
  readonly need: Need;
  readonly repository: Repository | undefined;
}

function judgePerson(host: Host, { login, need, repository }: Person): void {
  if (need.people === 'signed in' || need.people === 'anybody') return;
  if (need.people === 'app') throw new HttpError(403, 'You must authenticate via a GitHub App.');
  if (!repository) throw notFound();
  if (!reaches(roleOf(host, repository, login), need.people)) {
    throw new HttpError(403, `Must have ${need.people} rights to Repository.`);
  }
}

function judgeToken(
  actor: Extract<Actor, { type: 'installation' | 'job' }>,
  need: Need,
  repository: Repository | undefined,
): void {
  if (repository && actor.repositoryIds && !actor.repositoryIds.includes(repository.id)) throw notAccessible();
  const granted = actor.permissions[need.permission];
  if (granted === undefined || (need.level === 'write' && granted === 'read')) throw notAccessible();
}
