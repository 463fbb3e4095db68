/** What a change holds besides the files that the plan names, which people approved: its tests and its seed data. */
import { buildReport, seedReport } from '../loop/brief.ts';
import type { Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';
import { storedReport } from './stored-report.ts';

export interface UnplannedFiles {
  readonly tests: readonly string[];
  readonly seed: readonly string[];
}

/** Of the build and the seed that the loop keeps; empty before they are reported. */
export async function storedUnplanned(
  { tasks, built: { reports } }: Loop,
  store: Pick<Store, 'blob'>,
): Promise<UnplannedFiles> {
  const build = await storedReport(store, reports.build, buildReport);
  const seed = await storedReport(store, reports.seed, seedReport);
  const named = new Set(tasks.flatMap(({ files }) => files));
  const besides = (files: readonly { readonly path: string }[]): readonly string[] =>
    [...new Set(files.map(({ path }) => path))].filter((path) => !named.has(path)).toSorted();
  return {
    tests: besides([...(build?.tests?.files ?? []), ...(build?.changes ?? [])]),
    seed: besides([...(seed?.seed?.files ?? []), ...(seed?.changes ?? [])]),
  };
}
