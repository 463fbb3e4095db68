/** Has PostgreSQL keep how it reads and plans a statement where the same one comes again and again: an agent waits for two of them at each of its calls. */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';

/** So often a statement comes before it is kept; of those that are made for so many rows, each comes seldom. */
const OFTEN = 20;
/** Each connection keeps as many. */
const MOST_KEPT = 100;
const MOST_COUNTED = 1000;

/** The pool, for Kysely, whose statements have no names of their own. */
export function keepingStatements(pool: pg.Pool): PostgresPool {
  const nameOf = createNames();
  // Kysely knows its connections again by these.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const keeping = known.get(client) ?? keepingClient(client, nameOf);
      known.set(client, keeping);
      return keeping;
    },
  };
}

type NameOf = (text: string) => string | undefined;

function keepingClient(client: pg.PoolClient, nameOf: NameOf): PostgresPoolClient {
  function query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Cursor extends object>(cursor: Cursor): Cursor;
  function query(asked: string | pg.Submittable, parameters: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') return client.query(asked);
    const name = parameters.length === 0 ? undefined : nameOf(asked);
    return client.query({ text: asked, values: [...parameters], ...(name === undefined ? {} : { name }) });
  }
  return { query, release: (isOver) => client.release(isOver) };
}

/** The same name on every connection. */
function createNames(): NameOf {
  const names = new Map<string, string>();
  const counts = new LRUCache<string, number>({ max: MOST_COUNTED });
  return (text) => {
    const name = names.get(text);
    // A replica of a newer version may add a column: of one that gives all columns, PostgreSQL then refuses what it kept.
    if (name !== undefined || names.size >= MOST_KEPT || text.includes('*')) return name;
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count < OFTEN) return undefined;
    const given = `loopwright_${names.size}`;
    names.set(text, given);
    return given;
  };
}
