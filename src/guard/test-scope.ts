/** Which tests are asked: where a repository names some by globs, the others are not, and that is said. Pure. */
import { matchesGlob } from './glob.ts';

export interface Scope {
  readonly asked: readonly string[];
  readonly left: readonly string[];
}

/** All of them where no glob is given. */
export function scopeOf(files: readonly string[], globs: readonly string[]): Scope {
  if (globs.length === 0) return { asked: files, left: [] };
  const isAsked = (path: string): boolean => globs.some((glob) => matchesGlob(glob, path));
  return { asked: files.filter(isAsked), left: files.filter((path) => !isAsked(path)) };
}
