/** Blobs: text and bytes under their sha256. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import type { Queries } from './tables.ts';

export async function putBlob(db: Queries, content: string | Uint8Array): Promise<string> {
  const blob = blobOf(content);
  await blobInsert(db, blob).execute();
  return blob.digest;
}

interface Blob {
  readonly digest: string;
  readonly content: Uint8Array;
}

export function blobOf(content: string | Uint8Array): Blob {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { digest: digestOf(bytes), content: bytes };
}

/** One that is stored anew counts as new: nothing may name it before the save that follows. */
export function blobInsert(db: Pick<Queries, 'insertInto'>, blob: Blob) {
  return db
    .insertInto('blobs')
    .values(blob)
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet({ created_at: sql`now()` })
        .where('blobs.created_at', '<', sql<Date>`now() - interval '1 hour'`),
    );
}

export async function readBlob(db: Queries, digest: string): Promise<Uint8Array> {
  const row = await db.selectFrom('blobs').select('content').where('digest', '=', digest).executeTakeFirst();
  if (!row) throw new StoreError(`nothing is stored under ${digest}: was it stored in another database?`);
  // A plain copy, because pg gives a Buffer, and PGlite a view that may lie in a larger buffer.
  const bytes = new Uint8Array(row.content);
  const found = digestOf(bytes);
  if (found === digest) return bytes;
  throw new StoreError(
    `what is stored under ${digest} has the digest ${found}: the database was altered; restore a backup`,
  );
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The digests that a stored text names. */
export function digestsIn(text: string): readonly string[] {
  return [...new Set(text.match(/sha256:[0-9a-f]{64}/g))];
}
