/** What was asked of GitHub's API, counted as GitHub limits it. Pure. */
import { isCreation } from '../github/creations.ts';

/** Fetching by git is not the API; webhooks that did not arrive are looked for whether there is a loop or not, as often as time passes. */
const NOT_COUNTED = /\.git\/(?:info\/refs|git-upload-pack|git-receive-pack)(?:\?|$)|^\/app\/hook\/deliveries(?:\?|$)/;

export interface RequestCount {
  readonly requests: number;
  /** All that change something, and what is asked for by POST. */
  readonly writes: number;
  /** Comments, reviews, reactions, issues, pull requests and labels that were made. */
  readonly creations: number;
}

/** What a loop with one round of questions, one approval and one failed BUILD may ask. */
export const BUDGET: RequestCount = { requests: 80, writes: 35, creations: 10 };

export function requestCount(sent: readonly { readonly method: string; readonly path: string }[]): RequestCount {
  const asked = sent.filter(({ path }) => !NOT_COUNTED.test(path));
  const writes = asked.filter(({ method }) => method !== 'GET');
  return { requests: asked.length, writes: writes.length, creations: writes.filter(isCreation).length };
}
