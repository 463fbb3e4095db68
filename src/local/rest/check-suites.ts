/** Check suites: one per commit and App, or one per workflow run. */

import type { AppSlug, CheckSuite } from '../check-records.ts';
import { type Host, now } from '../host.ts';
import type { Repository } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { checkSuitePayload } from './check-payloads.ts';

export interface SuiteKey {
  readonly repository: Repository;
  readonly headSha: string;
  readonly headBranch: string | undefined;
  readonly app: AppSlug;
  readonly runId?: number;
}

/** The suite of the App on the commit, made when it is missing. */
export function suiteOf(host: Host, { repository, headSha, headBranch, app, runId }: SuiteKey): CheckSuite {
  const key = { repositoryId: repository.id, headSha, app, runId };
  const known = host.state.checkSuites.first(key);
  return known ?? host.state.checkSuites.insert({ ...key, headBranch, createdAt: now(), updatedAt: now() });
}

export interface SuiteRequest {
  readonly repository: Repository;
  readonly sender: string;
  readonly headSha: string;
  readonly headBranch: string;
  readonly before: string;
}

/** After a push of a branch GitHub asks each App for its checks: https://docs.github.com/webhooks/webhook-events-and-payloads#check_suite */
export function requestSuite(host: Host, { repository, sender, headSha, headBranch, before }: SuiteRequest): void {
  const suite = suiteOf(host, { repository, headSha, headBranch, app: 'loopwright' });
  const fields = { check_suite: { ...checkSuitePayload(host, repository, suite), before } };
  emit(host, { event: 'check_suite', action: 'requested', repository, sender, fields });
}
