/** Which paths always need a person: a change of them under an approval voids it. `config/guardrails.yaml` states the same for people; a test keeps the two equal. */
import { matchesGlob } from './glob.ts';
import { foldPath } from './patch-policy.ts';

export const SENSITIVE = {
  /** A path is sensitive when one of these is a word of it, alone or in the plural: `src/auth/check.ts`, `api-keys.json`, `resetPassword.js`. */
  words: [
    'auth',
    'authentication',
    'authorization',
    'oauth',
    'payment',
    'billing',
    'password',
    'credential',
    'secret',
    'api_key',
    'apikey',
    'token',
  ],
  paths: ['.github/workflows/**', '.github/actions/**', '.github/loopwright/**', '**/CODEOWNERS', '.gitmodules'],
} as const;

/** Whether a change of this path is one that a person must look at. */
export function isSensitive(path: string): boolean {
  const folded = foldPath(path);
  if (SENSITIVE.paths.some((glob) => matchesGlob(foldPath(glob), folded))) return true;
  const words = `-${path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')}-`;
  return SENSITIVE.words.some((word) => {
    const wanted = `-${word.replace('_', '-')}`;
    return words.includes(`${wanted}-`) || words.includes(`${wanted}s-`);
  });
}
