/** Renaming a repository and giving it to another owner: https://docs.github.com/rest/repos/repos#update-a-repository */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { gitDirectoryOf, type Host } from '../host.ts';
import { validationFailed } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { findRepository } from '../repository-records.ts';
import { emit } from '../webhooks/events.ts';
import { actingLogin, type Call, type Endpoints, ok, parseBody, repositoryOf } from './endpoint.ts';
import { accountPayload, permissionsPayload, repositoryPayload } from './payloads.ts';
import { ADMIN } from './repositories.ts';

export const relocationEndpoints: Endpoints = {
  'PATCH /repos/{owner}/{repo}': { need: ADMIN, answer: rename },
  'POST /repos/{owner}/{repo}/transfer': { need: ADMIN, answer: transfer },
};

/** The name is all that this server changes of a repository. */
const newName = z.strictObject({ name: z.string() });

function rename(call: Call) {
  const { host } = call;
  const before = repositoryOf(call);
  const { name } = parseBody(call, newName);
  if (!/^[\w.-]{1,100}$/.test(name)) throw validationFailed('Repository', 'name', 'name is not well formed');
  if (name === before.name) return ok(payloadOf(call, before));
  const changes = { repository: { name: { from: before.name } } };
  return ok(payloadOf(call, relocate(host, { before, place: { name }, sender: actingLogin(call), changes })));
}

const newOwner = z.strictObject({ new_owner: z.string() });

/** On GitHub a person must accept first; here, as with organisations, the repository goes over at once. The installation reaches it as before. */
function transfer(call: Call) {
  const { host } = call;
  const before = repositoryOf(call);
  const { new_owner: wanted } = parseBody(call, newOwner);
  const account = host.state.accounts.first({ login: wanted, type: 'User' });
  if (!account) throw validationFailed('Repository', 'new_owner', `${wanted} is not a user or organization`);
  const owner = account.login;
  const changes = { owner: { from: { user: accountPayload(host, before.owner) } } };
  const repository = host.state.transaction(() => {
    const known = host.state.collaborators.first({ repositoryId: before.id, login: owner });
    if (known) host.state.collaborators.update(known.id, { role: 'admin' });
    else host.state.collaborators.insert({ repositoryId: before.id, login: owner, role: 'admin' });
    return relocate(host, { before, place: { owner }, sender: actingLogin(call), changes });
  });
  return { status: 202, body: payloadOf(call, repository) };
}

interface Relocation {
  readonly before: Repository;
  readonly place: { readonly owner?: string; readonly name?: string };
  readonly sender: string;
  /** What the webhook tells of the former place. */
  readonly changes: Fields;
}

/** Tokens, git, issues and runs go by the id, so only the name changes. @throws HttpError 422 when the place is taken */
function relocate(host: Host, { before, place, sender, changes }: Relocation): Repository {
  const { id, owner, name } = before;
  const taken = findRepository(host, { owner: place.owner ?? owner, repo: place.name ?? name });
  if (taken && taken.id !== id) throw validationFailed('Repository', 'name', 'name already exists on this account');
  return host.state.transaction(() => {
    host.state.formerNames.insert({ repositoryId: id, owner, name });
    const repository = host.state.repositories.update(id, { ...place, directory: gitDirectoryOf(before) });
    const action = place.owner === undefined ? 'renamed' : 'transferred';
    emit(host, { event: 'repository', action, repository, sender, fields: { changes } });
    return repository;
  });
}

function payloadOf({ host, actor }: Call, repository: Repository): Fields {
  const login = actor.type === 'user' ? actor.account.login : '';
  const permissions = permissionsPayload(host, repository, login);
  return { ...repositoryPayload(host, repository), permissions, network_count: 0, subscribers_count: 0 };
}
