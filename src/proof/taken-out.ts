/** Tests that a change takes away. Pure. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Results } from './rows.ts';
import { fileOf, nameOf } from './test-ids.ts';

/**
 * One finding for each file that has fewer tests than on the base; a test with another name may be the same one, and one of the same name in a file
 * that the base does not have was moved there. `base` are the base's own tests of the changed files, run on the base; what did not pass there
 * guarded nothing.
 */
export function takenOut(base: Results, head: Results): readonly Defect[] {
  const passing = [...base].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [id] : []));
  const known = new Set([...base.keys()].map(fileOf));
  const moved = new Set([...head.keys()].filter((id) => !known.has(fileOf(id))).map(nameOf));
  return [...Map.groupBy(passing, fileOf)].flatMap(([file, ids]) => {
    const own = [...head.keys()].filter((id) => fileOf(id) === file);
    const gone = ids.filter((id) => !head.has(id) && !moved.has(nameOf(id)));
    const left = own.length + ids.filter((id) => !head.has(id) && moved.has(nameOf(id))).length;
    if (gone.length === 0) return [];
    if (left >= ids.length) return goneFrom(file, gone);
    return findingDefect({
      rule: 'test-deleted',
      about: file,
      file,
      message: `${file} has ${left} tests instead of ${ids.length}; no longer there: ${gone.map(nameOf).join(', ')}.`,
      suggestion: 'Keep what the existing tests describe, or say in the pull request why it goes.',
      bound: [...gone],
    });
  });
}

/** There are as many as before, and one with another name may be the same one: people have to look. */
function goneFrom(file: string, gone: readonly string[]): Defect {
  return findingDefect({
    ...{ rule: 'test-gone', about: file, file, severity: 'minor' },
    message: `${file} has as many tests as before, but these are no longer there: ${gone.map(nameOf).join(', ')}.`,
    suggestion: 'Look whether what they asked is still asked under another name.',
    bound: [...gone],
  });
}
