/** The order of a list, by `sort` and `direction`. */
import { HttpError } from '../http-error.ts';

export interface Order<T> {
  /** What can be sorted by; the first is the default. */
  readonly keys: Readonly<Record<string, (record: T) => string | number>>;
  readonly direction: 'asc' | 'desc';
}

/** Records that are alike in what they are sorted by stay in the order in which they were made. @throws HttpError 422 for an order that this server does not know */
export function ordered<T>(query: URLSearchParams, records: readonly T[], { keys, direction }: Order<T>): readonly T[] {
  const sort = query.get('sort') ?? Object.keys(keys)[0] ?? '';
  const keyOf = Object.hasOwn(keys, sort) ? keys[sort] : undefined;
  if (keyOf === undefined) throw new HttpError(422, `Validation Failed: this server does not obey "${sort}" as "sort"`);
  const ascending = records.toSorted((left, right) => compare(keyOf(left), keyOf(right)));
  return (query.get('direction') ?? direction) === 'asc' ? ascending : ascending.toReversed();
}

function compare(left: string | number, right: string | number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** What issues and comments can be sorted by alike. */
export const MOMENTS = {
  created: ({ createdAt }: { readonly createdAt: string }) => createdAt,
  updated: ({ updatedAt }: { readonly updatedAt: string }) => updatedAt,
};
