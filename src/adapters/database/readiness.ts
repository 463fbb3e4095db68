/** Whether the database can be worked with: it answers in time, and its schema is what this version needs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Engine } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** Longer than the embedded database is ever busy with itself, and shorter than who asks waits. */
const PATIENCE_MS = 3000;

export interface ReadinessOptions {
  readonly log: Logger;
  readonly patienceMs?: number;
}

/** Why the database cannot be worked with, in a sentence for anybody; undefined where it can. What the database itself says may name hosts and users, so it goes to the log. */
export async function databaseObstacle(
  { db }: Pick<Engine, 'db'>,
  { log, patienceMs = PATIENCE_MS }: ReadinessOptions,
): Promise<string | undefined> {
  try {
    const asked = db.selectFrom('schema_migrations').select('number').execute();
    const rows = await Promise.race([asked, sleep(patienceMs, undefined, { ref: false })]);
    return rows === undefined ? `The database has not answered within ${patienceMs / 1000} s.` : lackOf(rows);
  } catch (error) {
    log.warn({ err: error }, 'readyz: the database cannot be asked');
    return `The database cannot be asked (${codeOf(error)}); the log says more.`;
  }
}

/** A migration that a newer version made is no obstacle: while replicas are replaced, the old ones serve until they are ended. */
function lackOf(rows: readonly { readonly number: number }[]): string | undefined {
  const applied = new Set(rows.map(({ number }) => number));
  const lacking = MIGRATIONS.filter(({ number }) => !applied.has(number)).map(({ number }) => number);
  if (lacking.length === 0) return undefined;
  return `The database lacks migration ${lacking.join(', ')}; start this process again, which makes it.`;
}

/** PostgreSQL's five characters, or the system's name, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'closed';
}
