/** Which paths always need a person: a change of them under an approval voids it. */
import { matchesGlob } from './glob.ts';
import { foldPath } from './patch-policy.ts';

export interface Sensitive {
  /** A path is sensitive when one of these is a word of it, alone or in the plural: `src/auth/check.ts`, `api-keys.json`, `resetPassword.js`. */
  readonly words: readonly string[];
  /** Globs. */
  readonly paths: readonly string[];
}

/** Whether a change of this path is one that a person must look at. */
export function isSensitive(path: string, sensitive: Sensitive): boolean {
  const folded = foldPath(path);
  if (sensitive.paths.some((glob) => matchesGlob(foldPath(glob), folded))) return true;
  const words = `-${path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')}-`;
  return sensitive.words.some((word) => {
    const wanted = `-${word.replace('_', '-')}`;
    return words.includes(`${wanted}-`) || words.includes(`${wanted}s-`);
  });
}
