/** The database: PGlite in a directory or in memory, or a PostgreSQL server; Kysely and pg-boss over either. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, type KyselyPlugin, PGliteDialect, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { fromPglite, PgBoss } from 'pg-boss';
import { destination, type Logger, pino } from 'pino';
import { ConfigError, StoreError } from '../../errors.ts';
import { QUEUE_NAMES, QUEUE_OPTIONS } from '../queue-items.ts';
import { problemIn } from './database-look.ts';
import { createLeadership } from './leadership.ts';
import { migrate } from './migrations.ts';
import { openPglite, type PgliteHandle } from './pglite.ts';
import { keepingStatements } from './prepared-statements.ts';
import type { Queries, Tables } from './tables.ts';

type BossDatabase = ReturnType<PgBoss['getDb']>;

export interface Engine {
  readonly kind: 'pglite' | 'postgres';
  /** For single statements. Inside a transaction it throws, because there it would wait for itself for ever on PGlite and leave the transaction on Postgres. */
  readonly db: Queries;
  readonly boss: PgBoss;
  /** @throws {StoreError} when called inside a transaction. */
  transaction<Result>(work: (trx: Queries) => Promise<Result>): Promise<Result>;
  /** Calls back on each NOTIFY of the channel with what it says, and without after a reconnection, when some may have been missed. */
  listen(channel: string, wake: (told?: string) => void): Promise<{ close(): Promise<void> }>;
  /** True in one process at a time, until that ends or loses its connection. */
  leads(): Promise<boolean>;
  close(): Promise<void>;
}

/** What differs between the two databases. */
interface Backend {
  readonly kind: Engine['kind'];
  readonly kysely: Kysely<Tables>;
  readonly boss: PgBoss;
  readonly leads: () => Promise<boolean>;
  readonly close: () => Promise<void>;
  /** A copy of a database in which schema and queues are made. */
  readonly prepared: boolean;
  readonly onPrepared: () => Promise<void>;
}

const insideTransaction = new AsyncLocalStorage<true>();

/**
 * Opens the database and brings its schema up to date. `url` is a directory, `postgres://…`, `memory:` (gone when closed), or `memory:FILE`, which starts as a copy of the dump in FILE.
 * PGlite does not survive a power loss (it never calls fsync), only the death of its process; PostgreSQL survives both.
 * @throws {StoreError} when the directory is in use, or was made by another major version of Postgres, or by a newer Loopwright.
 */
export async function openEngine(options: { readonly url: string; readonly log?: Logger }): Promise<Engine> {
  const log = options.log ?? pino({ level: 'warn' }, destination(2));
  const backend = await openBackend(options.url, log);
  const { boss, kysely } = backend;
  boss.on('error', (error) => log.error({ err: error }, 'queue: pg-boss failed in the background'));
  boss.on('warning', (warning) => log.warn({ warning }, 'queue: pg-boss warns'));
  try {
    await prepare(backend);
  } catch (error) {
    await close(backend);
    throw error;
  }
  const transactions = createTransactions(kysely);
  return {
    kind: backend.kind,
    db: kysely.withPlugin(transactionGuard),
    boss,
    transaction: transactions.transaction,
    leads: backend.leads,
    listen: (channel, wake) => listen(boss.getDb(), channel, wake),
    close: once(async () => {
      await transactions.end();
      await close(backend);
    }),
  };
}

/**
 * Those that are open when the database closes come to their end; later ones are refused. Of one that begins on a closed PGlite Kysely waits for the
 * beginning for ever, while PGlite's own refusal is a rejection that nobody handles, which ends the process.
 */
function createTransactions(kysely: Kysely<Tables>): Pick<Engine, 'transaction'> & { end(): Promise<void> } {
  const open = new Set<Promise<unknown>>();
  let isEnded = false;
  return {
    transaction: async (work) => {
      refuseInsideTransaction();
      if (isEnded)
        throw new StoreError(
          'The database is closed; this process is ending, and what it left is done at the next start.',
        );
      const performed = kysely.transaction().execute((trx) => insideTransaction.run(true, () => work(trx)));
      open.add(performed);
      return performed.finally(() => open.delete(performed));
    },
    end: async () => {
      isEnded = true;
      await Promise.allSettled(open);
    },
  };
}

async function openBackend(url: string, log: Logger): Promise<Backend> {
  if (/^postgres(ql)?:\/\//.test(url)) return postgresBackend(url, log);
  if (url === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
    throw new ConfigError(
      `DATABASE_URL is "${url}", neither a directory nor a postgres:// address; write one of the two.`,
    );
  }
  return pgliteBackend(await openPglite(url, log));
}

function pgliteBackend(handle: PgliteHandle): Backend {
  const { lite } = handle;
  const guarded: BossDatabase = fromPglite(lite);
  const executeSql = guarded.executeSql.bind(guarded);
  guarded.executeSql = (text, values) => {
    refuseInsideTransaction();
    return executeSql(text, values);
  };
  return {
    kind: 'pglite',
    kysely: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: lite }) }),
    boss: new PgBoss({ db: guarded, backend: 'pglite', schedule: false, monitorVacuum: false, reindex: false }),
    // The directory is locked, and what is in memory is ours alone.
    leads: async () => true,
    close: handle.close,
    prepared: handle.prepared,
    onPrepared: handle.onPrepared,
  };
}

function postgresBackend(url: string, log: Logger): Backend {
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'loopwright' });
  // An error that nobody listens to ends the process. The pool tells of idle connections only, and a connection of itself, in use too; the pool makes new ones by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', (error) => log.warn({ err: error }, 'store: lost a connection')));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: keepingStatements(pool) }) });
  const leadership = createLeadership(url);
  return {
    kind: 'postgres',
    kysely,
    boss: new PgBoss({ connectionString: url, max: 4, schedule: false, application_name: 'loopwright queue' }),
    leads: leadership.leads,
    close: async () => {
      await leadership.resign();
      await kysely.destroy();
    },
    prepared: false,
    onPrepared: async () => {},
  };
}

async function prepare(backend: Backend): Promise<void> {
  const { boss, kysely } = backend;
  await assertThere(backend);
  await kysely.transaction().execute((trx) => migrate(trx));
  await boss.start();
  for (const name of QUEUE_NAMES) {
    if (!backend.prepared) await boss.createQueue(name, QUEUE_OPTIONS);
    // pg-boss reads a queue's row before its first use; inside a transaction that read would wait for itself on PGlite.
    await boss.findJobs(name, { key: 'none' });
  }
  await backend.onPrepared();
}

/** @throws {StoreError} where a server is not there, or lets nobody in. */
async function assertThere({ kind, kysely }: Backend): Promise<void> {
  if (kind === 'pglite') return;
  try {
    await sql`select 1`.execute(kysely);
  } catch (error) {
    throw new StoreError(`The database cannot be used: ${problemIn(error)}. Start it, or correct DATABASE_URL.`, {
      cause: error,
    });
  }
}

async function listen(
  database: BossDatabase,
  channel: string,
  wake: (told?: string) => void,
): Promise<{ close(): Promise<void> }> {
  if (!database.listen) throw new StoreError('pg-boss gave a database without LISTEN: is its version the pinned one?');
  return database.listen(channel, wake, () => wake());
}

async function close({ boss, close }: Backend): Promise<void> {
  await boss.stop({ graceful: false });
  await close();
}

const transactionGuard: KyselyPlugin = {
  transformQuery: ({ node }) => {
    refuseInsideTransaction();
    return node;
  },
  transformResult: async ({ result }) => result,
};

function refuseInsideTransaction(): void {
  if (!insideTransaction.getStore()) return;
  throw new StoreError(
    'the database was used from inside a transaction, but not through it: use the transaction that was handed in',
  );
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
