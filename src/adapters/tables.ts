/** The tables as Kysely sees them; migrations.ts makes them. */
import type { Generated, Kysely } from 'kysely';

export interface LoopRow {
  readonly id: string;
  /** Order of insertion, for "newest first". */
  readonly serial: Generated<number>;
  readonly version: number;
  readonly repository_id: number;
  readonly issue: number;
  readonly n: number;
  readonly status: string;
  readonly branch: string;
  readonly pull: number | null;
  readonly run_id: number | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
  /** JSON as text, not jsonb: jsonb refuses \u0000 and reorders keys, and the log must replay to the byte. */
  readonly loop: string;
}

export interface LogRow {
  readonly loop_id: string;
  readonly seq: number;
  /** JSON as text, or null when only an effect was settled. */
  readonly event: string | null;
  readonly settled: string | null;
  readonly created_at: Generated<Date>;
}

export interface DeliveryRow {
  readonly id: string;
  readonly name: string;
  readonly received_at: string;
  readonly payload: string;
  readonly created_at: Generated<Date>;
}

export interface BlobRow {
  readonly digest: string;
  readonly content: Uint8Array;
  readonly created_at: Generated<Date>;
}

export interface Tables {
  readonly loops: LoopRow;
  readonly loop_log: LogRow;
  readonly deliveries: DeliveryRow;
  readonly blobs: BlobRow;
  readonly schema_migrations: { readonly number: number; readonly name: string; readonly applied_at: Generated<Date> };
}

/** What may be done with a connection: queries. Transactions are the engine's, because it guards them. */
export type Queries = Pick<
  Kysely<Tables>,
  'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'getExecutor' | 'executeQuery'
>;
