/** Finding and starting repositories, and numbering what is in them. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { now } from './clock.ts';
import { importRepository } from './git/git.ts';
import { gitOf, type Host } from './host.ts';
import type { Account, Repository } from './records.ts';

/** The repository of a route; names are compared without case, as GitHub does. */
export function findRepository(host: Host, parameters: Readonly<Record<string, string>>): Repository | undefined {
  const wanted = `${parameters.owner}/${parameters.repo}`.toLowerCase();
  return host.state.repositories.find({}).find(({ owner, name }) => `${owner}/${name}`.toLowerCase() === wanted);
}

/** The repository that had this name and has another one now, unless some repository has it again. */
export function findFormer(host: Host, parameters: Readonly<Record<string, string>>): Repository | undefined {
  if (findRepository(host, parameters)) return undefined;
  const wanted = `${parameters.owner}/${parameters.repo}`.toLowerCase();
  const former = host.state.formerNames
    .find({})
    .findLast(({ owner, name }) => `${owner}/${name}`.toLowerCase() === wanted);
  return former && host.state.repositories.get(former.repositoryId);
}

/** Takes the next number, shared by issues and pull requests. */
export function takeNumber(host: Host, repository: Repository): number {
  const number = host.state.repositories.get(repository.id)?.nextNumber ?? repository.nextNumber;
  host.state.repositories.update(repository.id, { nextNumber: number + 1 });
  return number;
}

/** The account with this name; bots and owners that nobody named are made when first seen. */
export function accountOf(host: Host, login: string): Account {
  const known = host.state.accounts.first({ login });
  return (
    known ?? host.state.accounts.insert({ login, type: login.endsWith('[bot]') ? 'Bot' : 'User', createdAt: now(host) })
  );
}

/** Takes a repository on disk in as `owner/name`; one that is known already, also by a former name, is kept as it is. */
export async function addRepository(
  host: Host,
  { source, fullName }: { readonly source: string; readonly fullName: string },
): Promise<void> {
  const [owner = '', name = '', ...rest] = fullName.split('/');
  if (!owner || !name || rest.length > 0 || !/^[\w.-]+\/[\w.-]+$/.test(fullName)) {
    throw new Error(`--import ${source}=${fullName}: the name must be owner/name`);
  }
  if (findRepository(host, { owner, repo: name }) ?? findFormer(host, { owner, repo: name })) return;
  const fresh = { id: 0, owner, name, defaultBranch: 'main', nextNumber: 1, createdAt: now(host), pushedAt: now(host) };
  const { directory } = gitOf(host, fresh);
  await mkdir(dirname(directory), { recursive: true });
  for (const left of [directory, `${directory}.new`]) if (existsSync(left)) await rm(left, { recursive: true });
  await importRepository(source, `${directory}.new`);
  await rename(`${directory}.new`, directory);
  await remember(host, fresh);
}

const DEFAULT_LABELS = [
  ['bug', 'd73a4a', "Something isn't working"],
  ['documentation', '0075ca', 'Improvements or additions to documentation'],
  ['enhancement', 'a2eeef', 'New feature or request'],
] as const;

async function remember(host: Host, fresh: Repository): Promise<void> {
  const git = gitOf(host, fresh);
  const head = await git.text(['symbolic-ref', '--short', 'HEAD']);
  const refs = await refsOf(host, fresh);
  host.state.transaction(() => {
    accountOf(host, fresh.owner);
    const { id } = host.state.repositories.insert({ ...fresh, defaultBranch: head });
    for (const [ref, sha] of refs) host.state.announcedRefs.insert({ repositoryId: id, ref, sha });
    for (const [name, color, description] of DEFAULT_LABELS)
      host.state.labels.insert({ repositoryId: id, name, color, description });
  });
}

/** Every branch and tag with its commit. */
export async function refsOf(host: Host, repository: Repository): Promise<ReadonlyMap<string, string>> {
  const output = await gitOf(host, repository).text([
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  ]);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}
