/** Check runs, check suites and commit statuses as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import type { CheckRun, CheckSuite, CommitStatus } from '../check-records.ts';
import { ACTIONS_SLUG, type Host, nodeIdOf, OWN_SLUG, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { found } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { accountPayload, appPayload, repositoryPayload } from './payloads.ts';

/** Ids of registered Apps begin here, away from ours and that of GitHub Actions. */
const FIRST_FOREIGN_APP_ID = 100_000;

/** The App behind a check: ours, GitHub Actions, or one that was registered here. */
export function checkAppPayload(host: Host, slug: string): Fields {
  const ours = appPayload(host);
  if (slug === OWN_SLUG) return ours;
  const { id, name, description } = slug === ACTIONS_SLUG ? ACTIONS : foreignAppOf(host, slug);
  const html_url = `${host.url()}/apps/${slug}`;
  return { ...ours, id, node_id: nodeIdOf('App', id), client_id: `Iv1.local${id}`, slug, name, description, html_url };
}

const ACTIONS = { id: 15_368, name: 'GitHub Actions', description: 'Automate your workflow from idea to production' };

function foreignAppOf(host: Host, slug: string) {
  const { id, name } = found(host.state.apps.first({ slug }));
  return { id: FIRST_FOREIGN_APP_ID + id, name, description: 'Registered under /_local: exists on this machine only.' };
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
    ...suiteStateOf(host, suite),
    before: null,
    after: suite.headSha,
    pull_requests: pullReferences(host, repository, suite.headSha),
    app: checkAppPayload(host, suite.app),
    repository: repositoryPayload(host, repository),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    latest_check_runs_count: new Set(runs.map(({ name }) => name)).size,
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

/** A suite is what its runs are: the worst conclusion, once all are completed. That of a workflow run is what the run is, which knows of jobs to come. */
export function suiteStateOf(host: Host, { id: suiteId, runId }: CheckSuite) {
  const workflowRun = runId === undefined ? undefined : host.state.runs.get(runId);
  if (workflowRun) return { status: workflowRun.status, conclusion: workflowRun.conclusion ?? null };
  const runs = host.state.checkRuns.find({ suiteId });
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
