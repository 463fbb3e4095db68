/** Check suites: one per commit and App, or one per workflow run. */

import type { CheckSuite } from '../check-records.ts';
import { now } from '../clock.ts';
import { type Host, OWN_SLUG } from '../host.ts';
import type { Repository } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { checkSuitePayload } from './check-payloads.ts';

export interface SuiteKey {
  readonly repository: Repository;
  readonly headSha: string;
  readonly headBranch: string | undefined;
  readonly app: string;
  readonly runId?: number;
}

/** The suite of the App on the commit, made when it is missing. */
export function suiteOf(host: Host, { repository, headSha, headBranch, app, runId }: SuiteKey): CheckSuite {
  const key = { repositoryId: repository.id, headSha, app, runId };
  const known = host.state.checkSuites.first(key);
  return known ?? host.state.checkSuites.insert({ ...key, headBranch, createdAt: now(host), updatedAt: now(host) });
}

export interface SuiteRequest {
  readonly repository: Repository;
  readonly sender: string;
  readonly headSha: string;
  readonly headBranch: string;
  readonly before: string;
}

/**
 * After a push of a branch GitHub makes a suite for each App that may check, and asks it for its checks. An App that never answers leaves its suite
 * queued, without runs, for ever: https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-checks
 */
export function requestSuite(host: Host, { repository, sender, headSha, headBranch, before }: SuiteRequest): void {
  const suite = suiteOf(host, { repository, headSha, headBranch, app: OWN_SLUG });
  for (const { slug } of host.state.apps.find({})) suiteOf(host, { repository, headSha, headBranch, app: slug });
  const fields = { check_suite: { ...checkSuitePayload(host, repository, suite), before } };
  emit(host, { event: 'check_suite', action: 'requested', repository, sender, fields });
}
