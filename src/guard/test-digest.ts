/** The digest that freezes the designer's tests; job and App compute it in the same way. */
import { createHash } from 'node:crypto';

/** `sha256:<hex>` over the files as canonical JSON, sorted by path; the order in which they were written does not matter. */
export function digestOfTests(files: readonly { readonly path: string; readonly content: string }[]): string {
  const sorted = files
    .map(({ path, content }) => ({ path, content }))
    .sort((left, right) => (left.path < right.path ? -1 : Number(left.path > right.path)));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}
