/** Reports of runs as they were stored, also by an earlier version of the App. */
import { z } from 'zod';
import type { Store } from '../ports.ts';
import { storedText } from './document-texts.ts';

/** Parses the stored report with this digest; undefined when there is none. */
export async function storedReport<Report>(
  store: Pick<Store, 'blob'>,
  digest: string | undefined,
  schema: { parse(value: unknown): Report },
): Promise<Report | undefined> {
  return digest === undefined ? undefined : schema.parse(currentReport(JSON.parse(await storedText(store, digest))));
}

/** Until version 2 a failure was a sentence only, and left nothing behind. */
const first = z.looseObject({ version: z.literal(1), kind: z.string(), failure: z.string().nullable() });

/** A report as it would be written today; what it is not, the schema then tells. */
export function currentReport(value: unknown): unknown {
  const old = first.safeParse(value);
  if (!old.success) return value;
  const { failure, ...rest } = old.data;
  return {
    ...rest,
    ...(rest.kind === 'build' ? { unfinished: [] } : {}),
    version: 2,
    failure: failure === null ? null : { cause: 'work', message: failure },
  };
}
