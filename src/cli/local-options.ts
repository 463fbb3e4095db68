/** Options of local mode that name repositories and people. */
import { resolve } from 'node:path';
import { UsageError } from './command.ts';

export interface User {
  readonly login: string;
  readonly role: string;
  readonly token: string;
}

const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'];

/** `PATH=owner/name`. @throws {UsageError} */
export function parseImport(text: string): { readonly path: string; readonly fullName: string } {
  const [, path, fullName] = /^(.+)=([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (path === undefined || fullName === undefined) throw new UsageError(`--import ${text}: write PATH=owner/name`);
  return { path: resolve(path), fullName };
}

/** `login:role:token`. @throws {UsageError} */
export function parseUser(text: string): User {
  const [login, role, token] = text.split(':');
  if (!login || !role || !token || !ROLES.includes(role))
    throw new UsageError(`--user ${text}: write login:role:token with a role of ${ROLES.join(', ')}`);
  return { login, role, token };
}
