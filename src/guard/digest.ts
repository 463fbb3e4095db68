/** Digests of content and of values: `sha256:<hex>`. */
import { createHash } from 'node:crypto';

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Digest of a JSON value, independent of the order of its keys. */
export function digestOfValue(value: unknown): string {
  return digestOf(canonicalJson(value));
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
