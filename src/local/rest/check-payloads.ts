/** Check runs, check suites and commit statuses as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import type { AppSlug, CheckRun, CheckSuite, CommitStatus } from '../check-records.ts';
import { type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { accountPayload, appPayload, repositoryPayload } from './payloads.ts';

const ACTIONS_APP_ID = 15_368;

/** The App behind a check: ours, or GitHub Actions. */
export function checkAppPayload(host: Host, slug: AppSlug): Fields {
  const ours = appPayload(host);
  if (slug === 'loopwright') return ours;
  return {
    ...ours,
    id: ACTIONS_APP_ID,
    node_id: nodeIdOf('App', ACTIONS_APP_ID),
    slug,
    name: 'GitHub Actions',
    html_url: `${host.url()}/apps/${slug}`,
  };
}

export function checkRunPayload(host: Host, repository: Repository, run: CheckRun): Fields {
  const url = `${repositoryUrlOf(host, repository)}/check-runs/${run.id}`;
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/runs/${run.id}`;
  return {
    id: run.id,
    node_id: nodeIdOf('CheckRun', run.id),
    name: run.name,
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: htmlUrl,
    details_url: run.detailsUrl ?? htmlUrl,
    status: run.status,
    conclusion: run.conclusion ?? null,
    started_at: run.startedAt,
    completed_at: run.completedAt ?? null,
    output: {
      title: run.title ?? null,
      summary: run.summary ?? null,
      text: run.text ?? null,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: checkAppPayload(host, run.app),
    pull_requests: pullReferences(host, repository, run.headSha),
  };
}

export function checkSuitePayload(host: Host, repository: Repository, suite: CheckSuite): Fields {
  const url = `${repositoryUrlOf(host, repository)}/check-suites/${suite.id}`;
  const runs = host.state.checkRuns.find({ suiteId: suite.id });
  return {
    id: suite.id,
    node_id: nodeIdOf('CheckSuite', suite.id),
    url,
    head_branch: suite.headBranch ?? null,
    head_sha: suite.headSha,
    ...suiteStateOf(runs),
    before: null,
    after: suite.headSha,
    pull_requests: pullReferences(host, repository, suite.headSha),
    app: checkAppPayload(host, suite.app),
    repository: repositoryPayload(host, repository),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
  };
}

const CONCLUSIONS_BY_WEIGHT = [
  'failure',
  'timed_out',
  'cancelled',
  'action_required',
  'neutral',
  'success',
  'skipped',
  'stale',
] as const;

/** A suite is what its runs are: the worst conclusion, once all are completed. */
export function suiteStateOf(runs: readonly CheckRun[]) {
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some(({ status }) => status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const conclusion = CONCLUSIONS_BY_WEIGHT.find((word) => runs.some((run) => run.conclusion === word)) ?? 'success';
  return { status: 'completed', conclusion };
}

/** The open pull requests whose head is this commit. */
export function pullReferences(host: Host, repository: Repository, headSha: string): readonly Fields[] {
  const short = { id: repository.id, url: repositoryUrlOf(host, repository), name: repository.name };
  return host.state.pulls
    .find({ repositoryId: repository.id, headSha })
    .filter(({ number }) => host.state.issues.first({ repositoryId: repository.id, number })?.state === 'open')
    .map((pull) => ({
      id: pull.id,
      number: pull.number,
      url: `${repositoryUrlOf(host, repository)}/pulls/${pull.number}`,
      head: { ref: pull.head, sha: pull.headSha, repo: short },
      base: { ref: pull.base, sha: pull.baseSha, repo: short },
    }));
}

export function statusPayload(host: Host, repository: Repository, status: CommitStatus): Fields {
  const url = `${repositoryUrlOf(host, repository)}/statuses/${status.sha}`;
  return {
    id: status.id,
    node_id: nodeIdOf('Status', status.id),
    url,
    avatar_url: null,
    state: status.state,
    context: status.context,
    description: status.description ?? null,
    target_url: status.targetUrl ?? null,
    creator: accountPayload(host, status.creator),
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}
