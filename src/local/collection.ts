/** Records of one kind in SQLite: a table with an id and a JSON body, parsed on every read. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { z } from 'zod';

type Scalar = string | number | boolean | undefined;

/** Equality on scalar fields; an undefined value matches a missing field. */
export type Where<T> = { readonly [K in keyof T as T[K] extends Scalar ? K : never]?: T[K] };

export interface Collection<T extends { readonly id: number }> {
  /** With the next id, unless it has one. */
  readonly insert: (value: Omit<T, 'id'>, id?: number) => T;
  readonly get: (id: number) => T | undefined;
  readonly first: (where: Where<T>) => T | undefined;
  /** Oldest first. */
  readonly find: (where: Where<T>) => readonly T[];
  /** Records with a larger id, oldest first. */
  readonly after: (id: number, limit: number) => readonly T[];
  readonly update: (id: number, change: Partial<Omit<T, 'id'>>) => T;
  readonly remove: (id: number) => void;
}

export interface CollectionOptions<T> {
  readonly database: DatabaseSync;
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** Fields that are looked up often. */
  readonly indexed?: readonly string[];
}

/** Opens the collection, creating its table and indexes when they are missing. */
export function createCollection<T extends { readonly id: number }>(options: CollectionOptions<T>): Collection<T> {
  const { database, name, schema, indexed = [] } = options;
  database.exec(`CREATE TABLE IF NOT EXISTS ${name} (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL)`);
  for (const field of indexed) {
    database.exec(`CREATE INDEX IF NOT EXISTS ${name}_${field} ON ${name} (json_extract(body, '$.${field}'))`);
  }
  const parse = (row: Record<string, unknown>): T =>
    schema.parse({ ...JSON.parse(String(row.body)), id: Number(row.id) });
  const get = (id: number): T | undefined => {
    const row = database.prepare(`SELECT id, body FROM ${name} WHERE id = ?`).get(id);
    return row && parse(row);
  };
  const find = (where: Where<T>): readonly T[] => {
    const { sql, values } = conditionOf(where);
    return database
      .prepare(`SELECT id, body FROM ${name} WHERE ${sql} ORDER BY id`)
      .all(...values)
      .map(parse);
  };
  return {
    get,
    find,
    first: (where) => find(where)[0],
    after: (id, limit) =>
      database.prepare(`SELECT id, body FROM ${name} WHERE id > ? ORDER BY id LIMIT ?`).all(id, limit).map(parse),
    insert: (value, id) => {
      const statement = database.prepare(`INSERT INTO ${name} (id, body) VALUES (?, ?)`);
      const added = statement.run(id ?? null, JSON.stringify(value));
      return schema.parse({ ...value, id: Number(added.lastInsertRowid) });
    },
    update: (id, change) => {
      const known = get(id);
      if (!known) throw new Error(`${name}: there is no record ${id} to update`);
      const changed = schema.parse({ ...known, ...change });
      database
        .prepare(`UPDATE ${name} SET body = ? WHERE id = ?`)
        .run(JSON.stringify({ ...changed, id: undefined }), id);
      return changed;
    },
    remove: (id) => void database.prepare(`DELETE FROM ${name} WHERE id = ?`).run(id),
  };
}

function conditionOf(where: object): { readonly sql: string; readonly values: readonly SQLInputValue[] } {
  const entries = Object.entries(where);
  if (entries.length === 0) return { sql: 'TRUE', values: [] };
  return {
    sql: entries.map(([field]) => (field === 'id' ? 'id = ?' : `json_extract(body, '$.${field}') IS ?`)).join(' AND '),
    values: entries.map(([, value]) => sqlValue(value)),
  };
}

function sqlValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return null;
}
