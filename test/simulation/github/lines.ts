/** Three-way merge of texts by lines, as git does it: what both sides changed at the same place differently is a conflict. */
import { diff3Merge } from 'node-diff3';

/** The merged text; undefined where people must merge. A missing text is undefined, too. */
export function mergedText(
  base: string | undefined,
  left: string | undefined,
  right: string | undefined,
): { readonly text: string | undefined } | undefined {
  if (left === right || right === base) return { text: left };
  if (left === base) return { text: right };
  if (base === undefined || left === undefined || right === undefined) return undefined;
  const regions = diff3Merge(left.split('\n'), base.split('\n'), right.split('\n'), { excludeFalseConflicts: true });
  if (regions.some(({ conflict }) => conflict !== undefined)) return undefined;
  return { text: regions.flatMap(({ ok }) => ok ?? []).join('\n') };
}
