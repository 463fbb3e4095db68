/** Options of local mode that name ports, times, repositories and people. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { execa } from 'execa';
import { UsageError } from '../errors.ts';
import { childEnvironment } from '../settings/env.ts';
import { BLOCKED_PORTS } from './blocked-ports.ts';

export interface User {
  readonly login: string;
  readonly role: string;
  readonly token: string;
}

export interface Import {
  readonly path: string;
  readonly fullName: string;
}

const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'];

/** @throws {UsageError} */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port ${text}: write a port from 1 to 65535, or 0 for any that is free`);
  if (BLOCKED_PORTS.has(Number(text)))
    throw new UsageError(`--port ${text}: no browser opens this port; write another one, or 0 for any that is free`);
  return Number(text);
}

/** Minutes to wait; fractions are fine. @throws {UsageError} */
export function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (text.trim() === '' || !Number.isFinite(minutes) || minutes <= 0)
    throw new UsageError(`--minutes ${text}: write how long to wait at most, a number above 0`);
  return minutes;
}

/** A directory, made if it is missing. @throws {UsageError} when it is something else, or cannot be made. */
export function parseDirectory(option: string, text: string): string {
  const directory = resolve(text);
  if (existsSync(directory) && !statSync(directory).isDirectory())
    throw new UsageError(`${option} ${text}: that is a file; name a directory, which is made if it is missing`);
  try {
    makeDirectory(directory);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new UsageError(`${option} ${text}: it cannot be made${code}; name a directory where you may write`, {
      cause,
    });
  }
  return directory;
}

/** Step by step: Node's own recursion never ends where the file system answers that what it just made is not there, as /proc does. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  mkdirSync(directory);
}

/** All of `--import`. @throws {UsageError} also when two have the same name. */
export async function parseImports(texts: readonly string[]): Promise<readonly Import[]> {
  const imports = await Promise.all(texts.map(parseImport));
  const named = imports.map(({ fullName }, index) => ({ text: texts[index] ?? '', name: fullName }));
  assertOnce('--import', named, 'name each repository once, as its own owner/name');
  return imports;
}

/** `PATH=owner/name`. @throws {UsageError} also when there is no git repository with a commit at the path. */
async function parseImport(text: string): Promise<Import> {
  const [, path, fullName] = /^(.+)=([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (path === undefined || fullName === undefined)
    throw new UsageError(`--import ${text}: write PATH=owner/name, for example ../shop=acme/shop`);
  await assertRepository(`--import ${text}`, path);
  return { path: resolve(path), fullName };
}

/** All of `--user`. @throws {UsageError} also when two have the same login. */
export function parseUsers(texts: readonly string[]): readonly User[] {
  const users = texts.map(parseUser);
  const named = users.map(({ login }, index) => ({ text: texts[index] ?? '', name: login }));
  assertOnce('--user', named, 'name each login once');
  return users;
}

/** `login:role:token`. @throws {UsageError} */
function parseUser(text: string): User {
  const [login, role, token] = text.split(':');
  if (!login || !role || !token || !ROLES.includes(role))
    throw new UsageError(`--user ${text}: write login:role:token with a role of ${ROLES.join(', ')}`);
  return { login, role, token };
}

/** A person's token that nobody can guess, not even the code of a product that finds the server. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

const WRITERS = ['write', 'maintain', 'admin'];

/** Whether the person may push, and set labels. */
export function isWriter({ role }: User): boolean {
  return WRITERS.includes(role);
}

/** GitHub does not tell upper from lower case in names. @throws {UsageError} for the second option that names the same. */
function assertOnce(
  option: string,
  given: readonly { readonly text: string; readonly name: string }[],
  remedy: string,
): void {
  const names = given.map(({ name }) => name.toLowerCase());
  const again = given.find((_, index) => names.indexOf(names[index] ?? '') < index);
  if (again !== undefined) throw new UsageError(`${option} ${again.text}: ${again.name} is named twice; ${remedy}`);
}

/** `given` is the option as the person wrote it. @throws {UsageError} when the path is no git repository with at least one commit. */
export async function assertRepository(given: string, path: string): Promise<void> {
  if (!existsSync(path)) throw new UsageError(`${given}: ${resolve(path)} does not exist; name a git repository`);
  if (!statSync(path).isDirectory()) throw new UsageError(`${given}: that is a file; name a git repository`);
  const options = { cwd: path, extendEnv: false, env: childEnvironment(), reject: false };
  const found = await execa('git', ['rev-parse', '--git-dir'], options);
  if (found.failed)
    throw new UsageError(
      `${given}: ${resolve(path)} is no git repository; run \`git init\` and commit there, or name another`,
    );
  const head = await execa('git', ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], options);
  if (head.failed) throw new UsageError(`${given}: ${resolve(path)} has no commit yet; commit something there first`);
}
