/** Tests that a change takes out of files that it keeps. Pure. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Results } from './rows.ts';

/**
 * One finding for each file that has fewer tests than on the base; a test with another name may be the same one. `base` are the base's own tests of
 * the changed files, run on the base; what did not pass there guarded nothing.
 */
export function takenOut(base: Results, head: Results): readonly Defect[] {
  const passing = [...base].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [id] : []));
  return [...Map.groupBy(passing, fileOf)].flatMap(([file, ids]) => {
    const left = [...head.keys()].filter((id) => fileOf(id) === file);
    const gone = ids.filter((id) => !head.has(id));
    if (gone.length === 0 || left.length >= ids.length) return [];
    const names = gone.map((id) => id.slice(file.length + 2)).join(', ');
    return findingDefect({
      rule: 'test-deleted',
      about: file,
      file,
      message: `${file} has ${left.length} tests instead of ${ids.length}; no longer there: ${names}.`,
      suggestion: 'Keep what the existing tests describe, or say in the pull request why it goes.',
      bound: [...gone],
    });
  });
}

function fileOf(id: string): string {
  return id.split('::')[0] ?? '';
}
