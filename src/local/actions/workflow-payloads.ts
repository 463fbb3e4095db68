/** Workflows, runs, jobs and artifacts as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import type { Artifact, Job, Run, Workflow } from '../check-records.ts';
import { type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { pullReferences } from '../rest/check-payloads.ts';
import { accountPayload, repositoryPayload } from '../rest/payloads.ts';

export function workflowPayload(host: Host, repository: Repository, { id, path, name, createdAt }: Workflow): Fields {
  const html = repositoryHtmlUrlOf(host, repository);
  const file = path.split('/').at(-1) ?? '';
  return {
    id,
    node_id: nodeIdOf('Workflow', id),
    name,
    path,
    state: host.switches.values().arranged.workflowsOff.includes(file) ? 'disabled_manually' : 'active',
    created_at: createdAt,
    updated_at: createdAt,
    url: `${repositoryUrlOf(host, repository)}/actions/workflows/${id}`,
    html_url: `${html}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${html}/actions/workflows/${file}/badge.svg`,
  };
}

export function runPayload(host: Host, repository: Repository, run: Run): Fields {
  const api = repositoryUrlOf(host, repository);
  const url = runUrlOf(host, repository, run);
  return {
    id: run.id,
    node_id: nodeIdOf('WorkflowRun', run.id),
    name: run.name,
    display_title: run.title,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    run_number: run.runNumber,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion ?? null,
    workflow_id: run.workflowId,
    check_suite_id: run.suiteId,
    check_suite_node_id: nodeIdOf('CheckSuite', run.suiteId),
    url,
    html_url: runHtmlUrlOf(host, repository, run),
    pull_requests: pullReferences(host, repository, run.headSha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    run_started_at: run.startedAt,
    actor: accountPayload(host, run.actor),
    triggering_actor: accountPayload(host, run.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${run.suiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: null,
    workflow_url: `${api}/actions/workflows/${run.workflowId}`,
    head_commit: run.headCommit,
    repository: repositoryPayload(host, repository),
    head_repository: repositoryPayload(host, repository),
    referenced_workflows: [],
  };
}

export function runUrlOf(host: Host, repository: Repository, { id }: Run): string {
  return `${repositoryUrlOf(host, repository)}/actions/runs/${id}`;
}

export function runHtmlUrlOf(host: Host, repository: Repository, { id }: Pick<Run, 'id'>): string {
  return `${repositoryHtmlUrlOf(host, repository)}/actions/runs/${id}`;
}

export function jobPayload(
  host: Host,
  repository: Repository,
  { job, run }: { readonly job: Job; readonly run: Run },
): Fields {
  const api = repositoryUrlOf(host, repository);
  return {
    id: job.id,
    node_id: nodeIdOf('Job', job.id),
    run_id: run.id,
    run_url: runUrlOf(host, repository, run),
    run_attempt: job.attempt,
    head_sha: run.headSha,
    head_branch: run.headBranch,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${runHtmlUrlOf(host, repository, run)}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion ?? null,
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt ?? null,
    name: job.name,
    workflow_name: run.name,
    steps: job.steps.map((step) => ({
      number: step.number,
      name: step.name,
      status: step.status,
      conclusion: step.conclusion ?? null,
      started_at: step.startedAt ?? null,
      completed_at: step.completedAt ?? null,
    })),
    check_run_url: `${api}/check-runs/${job.checkRunId}`,
    labels: ['local'],
    runner_id: 1,
    runner_name: 'local',
    runner_group_id: 1,
    runner_group_name: 'Default',
  };
}

const RETENTION_MS = 90 * 24 * 3_600_000;

export function artifactPayload(
  host: Host,
  repository: Repository,
  { artifact, run }: { readonly artifact: Artifact; readonly run: Run },
): Fields {
  const url = `${repositoryUrlOf(host, repository)}/actions/artifacts/${artifact.id}`;
  return {
    id: artifact.id,
    node_id: nodeIdOf('Artifact', artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.sizeBytes,
    url,
    archive_download_url: `${url}/zip`,
    expired: false,
    digest: host.profile.artifacts === 'older' ? null : artifact.digest,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: new Date(Date.parse(artifact.createdAt) + RETENTION_MS).toISOString(),
    workflow_run: {
      id: run.id,
      repository_id: repository.id,
      head_repository_id: repository.id,
      head_branch: run.headBranch,
      head_sha: run.headSha,
    },
  };
}
