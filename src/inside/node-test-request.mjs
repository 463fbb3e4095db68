/** What the runner of a node:test file is told: by the program before it in its own process, or else by standard input. */
import { readFileSync } from 'node:fs';

let kept;

/** For the runner, which is loaded next. */
export function keep(request) {
  kept = request;
}

/** Once: the key is in it, and code under test can ask, too. */
export function take() {
  const request = kept ?? JSON.parse(readFileSync(0, 'utf8'));
  kept = undefined;
  return request;
}
