/** Files that decide how tests run, and whose change decides nothing. */
import { isConftest, isHarmlessSetUp, mayBeHarmless } from '../rules/set-up-change.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { type Repository, textsIn } from '../trees/repository.ts';
import type { Change } from './change.ts';

export async function harmlessSetUps({
  change: { baseFiles, headFiles },
  repository,
  parsers,
  product,
}: {
  readonly change: Pick<Change, 'baseFiles' | 'headFiles'>;
  readonly repository: Repository;
  readonly parsers: Parsers;
  /** What is changed beside tests, one text. */
  readonly product: string;
}): Promise<ReadonlySet<string>> {
  const paths = [...headFiles].flatMap(([path, id]) =>
    mayBeHarmless(path) && baseFiles.get(path) !== id ? [path] : [],
  );
  if (paths.length === 0) return new Set();
  const base = await textsIn(repository, baseFiles, [...paths, ...[...baseFiles.keys()].filter(isConftest)]);
  const head = await textsIn(repository, headFiles, paths);
  const conftests = [...base].flatMap(([path, text]) => (isConftest(path) ? [text] : []));
  return new Set(
    paths.filter((path) => {
      // A link has no text here, and leads to any.
      const before = baseFiles.has(path) ? base.get(path) : '';
      const after = head.get(path);
      if (before === undefined || after === undefined) return false;
      return isHarmlessSetUp(parsers, { path, before, after, conftests, product });
    }),
  );
}
