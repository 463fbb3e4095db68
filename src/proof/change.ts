/** What a range of commits changes, parted into the product and its tests. */
import { type AddedLine, addedLinesOf } from '../guard/added-lines.ts';
import { isTestPath } from '../guard/test-paths.ts';
import type { RunnerName } from '../runners/runners.ts';
import { type Repository, split, treeOf } from '../trees/repository.ts';

export interface Range {
  readonly base: string;
  readonly head: string;
}

export interface Change extends Range {
  /** Changed paths that are no tests. */
  readonly product: readonly string[];
  /** Changed, added and deleted paths of tests. */
  readonly tests: readonly string[];
  readonly added: readonly AddedLine[];
  /** Object ids by path. */
  readonly baseFiles: ReadonlyMap<string, string>;
  readonly headFiles: ReadonlyMap<string, string>;
}

/** Git's options for a diff that no setting of a repository changes. */
export const DIFF = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'] as const;

/** What loops write of themselves; whatever else lies there may be code that the product loads. */
const LOOPS_DOCUMENT = /^\.loopwright\/.+\.md$/;

/** Reads the change; the documents of loops are no product. */
export async function changeOf(repository: Repository, range: Range, runner: RunnerName): Promise<Change> {
  const where = [range.base, range.head, '--', '.'];
  const paths = split(await repository.git(['diff', ...DIFF, '--name-only', '-z', ...where]));
  const diff = await repository.git(['diff', ...DIFF, '--text', '--src-prefix=a/', '--dst-prefix=b/', ...where]);
  const filesOf = async (commit: string) =>
    new Map((await treeOf(repository, commit)).map(({ path, mode, id }) => [path, `${mode} ${id}`]));
  return {
    ...range,
    product: paths.filter((path) => !isTestPath(path, runner) && !LOOPS_DOCUMENT.test(path)),
    tests: paths.filter((path) => isTestPath(path, runner)),
    added: addedLinesOf(diff.toString('utf8')),
    baseFiles: await filesOf(range.base),
    headFiles: await filesOf(range.head),
  };
}
