/** Which tests are asked: where a repository names some by globs, or the folder that they run in, the others are not, and that is said. Pure. */
import type { Commands } from '../loop/brief.ts';
import { matchesGlob } from './glob.ts';

export interface Scope {
  readonly asked: readonly string[];
  readonly left: readonly string[];
}

/** All of them where neither globs nor a folder are given. */
export function scopeOf(
  files: readonly string[],
  { tests: globs = [], directory }: Pick<Commands, 'tests' | 'directory'>,
): Scope {
  const isAsked = (path: string): boolean =>
    isBelow(path, directory) && (globs.length === 0 || globs.some((glob) => matchesGlob(glob, path)));
  return { asked: files.filter(isAsked), left: files.filter((path) => !isAsked(path)) };
}

/** Whether a path lies in the folder that tests are run in. */
export function isBelow(path: string, directory: Commands['directory']): boolean {
  return !directory || path.startsWith(`${directory.replace(/\/$/, '')}/`);
}
