/** What freezes the designer's tests: a digest, which job and App compute in the same way, and what may come beside them. */
import { createHash } from 'node:crypto';
import type { FrozenTests } from '../loop/brief.ts';

/** `sha256:<hex>` over the files as canonical JSON, sorted by path; the order in which they were written does not matter. */
export function digestOfTests(files: readonly { readonly path: string; readonly content: string }[]): string {
  const sorted = files
    .map(({ path, content }) => ({ path, content }))
    .sort((left, right) => (left.path < right.path ? -1 : Number(left.path > right.path)));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}

interface Earlier {
  /** What an earlier iteration of the plan froze. */
  readonly earlier: FrozenTests | undefined;
  /** Whether tests may have come beside it. */
  readonly mayAdd: boolean;
}

/** Why tests that a job reports as frozen are not to be believed; undefined where they are. */
export function frozenProblem(tests: FrozenTests, { earlier, mayAdd }: Earlier): string | undefined {
  if (digestOfTests(tests.files) !== tests.digest)
    return 'The frozen tests do not have the digest that the report states.';
  if (earlier === undefined || (earlier.digest === tests.digest && hasAll(tests, earlier))) return undefined;
  return mayAdd && hasAll(tests, earlier)
    ? undefined
    : 'The frozen tests are not those that an earlier iteration of this plan froze.';
}

/** Whether every file and every test of the earlier ones is there as it was. */
function hasAll({ files, tests }: FrozenTests, earlier: FrozenTests): boolean {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const ids = new Set(tests.map(idOf));
  return (
    earlier.files.every(({ path, content }) => texts.get(path) === content) &&
    earlier.tests.every((test) => ids.has(idOf(test)))
  );
}

function idOf({ requirement, kind, file, name }: FrozenTests['tests'][number]): string {
  return JSON.stringify([requirement, kind, file, name]);
}
