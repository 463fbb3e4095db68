/** The GitHub port over the simulated GitHub: each operation asks as often as the real adapter would, and finds what it finds. */
import type { GitHub } from '../../../src/github/github-port.ts';
import { checkOperations } from './check-operations.ts';
import { codeOperations } from './code-operations.ts';
import type { Hub } from './hub.ts';
import { pullOperations } from './pull-operations.ts';
import type { Wire } from './requests.ts';
import { runOperations } from './run-operations.ts';
import type { Work } from './runs.ts';
import { talkOperations } from './talk-operations.ts';

export interface Access {
  readonly hub: Hub;
  readonly wire: Wire;
  readonly work: Work;
}

export function createGitHubPort(access: Access): GitHub {
  return {
    ...talkOperations(access),
    ...codeOperations(access),
    ...pullOperations(access),
    ...checkOperations(access),
    ...runOperations(access),
  };
}
