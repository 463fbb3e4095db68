/** Repositories, collaborators, branches and commits: https://docs.github.com/rest/repos */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { type Need, PUBLIC, roleOf } from '../access.ts';
import { BOT_LOGIN } from '../host.ts';
import { found } from '../http-error.ts';
import type { Role } from '../records.ts';
import { loginOf } from '../tokens.ts';
import { type Call, type Endpoints, list, noContent, ok, parseBody, repositoryOf, textParameter } from './endpoint.ts';
import { accountPayload, permissionsPayload, repositoryPayload } from './payloads.ts';

export const ADMIN: Need = { permission: 'administration', level: 'write', people: 'admin' };
const METADATA: Need = { permission: 'metadata', level: 'read', people: 'read' };

/** The four old words; `role_name` has the exact one. */
const OLD_WORDS: Readonly<Record<Role, string>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
};

export const repositoryEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}': { need: PUBLIC, answer: getRepository },
  'GET /repos/{owner}/{repo}/collaborators': { need: METADATA, answer: listCollaborators },
  'PUT /repos/{owner}/{repo}/collaborators/{username}': { need: ADMIN, answer: setCollaborator },
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': { need: METADATA, answer: getPermission },
};

function getRepository(call: Call) {
  const { host, actor } = call;
  const repository = repositoryOf(call);
  const login = loginOf(actor);
  const permissions = login === undefined ? {} : { permissions: permissionsPayload(host, repository, login) };
  return ok({ ...repositoryPayload(host, repository), ...permissions, network_count: 0, subscribers_count: 0 });
}

function collaboratorPayload(call: Call, login: string): Fields {
  const { host } = call;
  const repository = repositoryOf(call);
  const role = roleOf(host, repository, login);
  return { ...accountPayload(host, login), permissions: permissionsPayload(host, repository, login), role_name: role };
}

function listCollaborators(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const members = host.state.collaborators.find({ repositoryId: repository.id }).map(({ login }) => login);
  const people = host.state.accounts
    .find({})
    .filter(({ role }) => role !== undefined)
    .map(({ login }) => login);
  return list([...new Set([...people, ...members])].map((login) => collaboratorPayload(call, login)));
}

const newCollaborator = z.object({
  permission: z.enum(['pull', 'triage', 'push', 'maintain', 'admin', 'read', 'write']).default('push'),
});
const ROLE_OF = {
  pull: 'read',
  push: 'write',
  read: 'read',
  write: 'write',
  triage: 'triage',
  maintain: 'maintain',
  admin: 'admin',
} as const;

function setCollaborator(call: Call) {
  const { host } = call;
  const repositoryId = repositoryOf(call).id;
  const { login } = found(host.state.accounts.first({ login: textParameter(call, 'username') }));
  const role = ROLE_OF[parseBody(call, newCollaborator).permission];
  const known = host.state.collaborators.first({ repositoryId, login });
  if (known) host.state.collaborators.update(known.id, { role });
  else host.state.collaborators.insert({ repositoryId, login, role });
  return noContent;
}

/** A bot has no role of a person: https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user */
function getPermission(call: Call) {
  const { host } = call;
  const { login } = found(host.state.accounts.first({ login: textParameter(call, 'username') }));
  const user = collaboratorPayload(call, login);
  if (login === BOT_LOGIN || login.endsWith('[bot]')) return ok({ permission: 'none', role_name: 'none', user });
  const role = roleOf(host, repositoryOf(call), login);
  return ok({ permission: OLD_WORDS[role], role_name: role, user });
}
