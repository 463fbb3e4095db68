/** The one place where requests to GitHub leave: guarded by the referee's table and, where asked for, checked against GitHub's description. */

import { checkedFetch, type Fetch } from '../referee/checked-fetch.ts';
import { gitHubContract } from '../referee/contract.ts';
import { PROBES, REGISTRATION } from '../referee/requests.ts';
import { BRANCH_PREFIX, WORKFLOWS } from '../settings/config.ts';
import { guardedFetch } from './guard.ts';

export interface WireOptions {
  readonly apiUrl: string;
  /** Compares every request and answer with GitHub's description; local mode and tests do. */
  readonly checked: boolean;
  /** Lets pass what only a probe needs. */
  readonly probes?: boolean;
  /** Lets pass what only the registration of the App needs. */
  readonly registers?: boolean;
}

/** The App's `fetch`: whatever is not one of the App's rows throws before anything is sent. */
export function wire({ apiUrl, checked, probes = false, registers = false }: WireOptions): Fetch {
  const outside = globalThis.fetch;
  const fetch = checked ? checkedFetch({ fetch: outside, contract: gitHubContract(), apiUrl }) : outside;
  const besides = [...(probes ? PROBES : []), ...(registers ? REGISTRATION : [])];
  return guardedFetch({ fetch, apiUrl, branchPrefix: BRANCH_PREFIX, workflows: Object.values(WORKFLOWS), besides });
}
