/** What can be known of a database without changing anything in it. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { StoreError } from '../../errors.ts';
import { lockDirectory } from './directory-lock.ts';
import { MIGRATIONS } from './migrations.ts';
import { POSTGRES_MAJOR } from './pglite.ts';

export type DatabaseFacts =
  | { readonly type: 'no address' }
  /** `isCertain`: another try would fail in the same way. */
  | { readonly type: 'unreachable'; readonly problem: string; readonly isCertain: boolean }
  | { readonly type: 'new' | 'directory'; readonly directory: string; readonly isWritable: boolean }
  | { readonly type: 'in use'; readonly directory: string }
  | { readonly type: 'other version'; readonly directory: string; readonly major: string; readonly needed: string }
  | {
      readonly type: 'server';
      readonly version: string;
      readonly isWritable: boolean;
      /** Numbers of migrations: those that were made, and those that this version has. */
      readonly applied: readonly number[];
      readonly known: readonly number[];
    };

/** `url` as `openEngine` takes it. */
export async function lookAtDatabase(url: string, withinMs: number): Promise<DatabaseFacts> {
  if (/^postgres(ql)?:\/\//.test(url)) return lookAtServer(url, withinMs);
  if (url === '' || /^[a-z][a-z0-9+.-]*:/i.test(url)) return { type: 'no address' };
  return lookAtDirectory(resolve(url));
}

function lookAtDirectory(directory: string): DatabaseFacts {
  const version = join(directory, 'postgres', 'PG_VERSION');
  if (!existsSync(version)) return { type: 'new', directory, isWritable: isWritable(nearest(directory)) };
  const major = readFileSync(version, 'utf8').trim();
  if (major !== POSTGRES_MAJOR) return { type: 'other version', directory, major, needed: POSTGRES_MAJOR };
  return isInUse(directory)
    ? { type: 'in use', directory }
    : { type: 'directory', directory, isWritable: isWritable(directory) };
}

function nearest(directory: string): string {
  return existsSync(directory) ? directory : nearest(dirname(directory));
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Held for a moment only, and where nobody else has it. */
function isInUse(directory: string): boolean {
  try {
    lockDirectory(directory)();
    return false;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}

const facts = z.object({ version: z.string(), writable: z.boolean(), migrated: z.boolean() });
const numbers = z.array(z.object({ number: z.number() }));

const FACTS = `select current_setting('server_version') as version,
  not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
    and has_schema_privilege(current_schema(), 'CREATE') as writable,
  to_regclass('schema_migrations') is not null as migrated`;

async function lookAtServer(url: string, withinMs: number): Promise<DatabaseFacts> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: 'loopwright doctor',
  });
  // What goes wrong later than the last answer is of no interest.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { version, writable, migrated } = facts.parse((await client.query(FACTS)).rows[0]);
    const rows = migrated ? (await client.query('select number from schema_migrations order by number')).rows : [];
    return {
      type: 'server',
      version,
      isWritable: writable,
      applied: numbers.parse(rows).map(({ number }) => number),
      known: MIGRATIONS.map(({ number }) => number),
    };
  } catch (error) {
    return problemOf(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** No such host, nobody there, no such database, refused: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CERTAIN = /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|3D000|28\w{3}|42501)$/;

function problemOf(error: unknown): DatabaseFacts {
  return { type: 'unreachable', problem: problemIn(error), isCertain: CERTAIN.test(codeOf(error)) };
}

/** In the words of whoever refused; where there are none, a code. */
export function problemIn(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? codeOf(error) : message;
}

/** Of several addresses of a host, the first one's. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && !('code' in error)) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
