/** What expressions see of a run. https://docs.github.com/actions/reference/workflows-and-actions/contexts */
import { fieldsOf } from '../../referee/json.ts';
import type { Workflow } from './workflow-file.ts';
import type { RunState } from './workflow-job-request.ts';
import type { WorkflowRequest } from './workflow-types.ts';

/** The contexts that exist before a job does: for a job's `if`. */
export function runContexts(run: RunState, inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { token } = run.request;
  return { ...titleContexts(run, inputs), github: githubContext(run), secrets: { GITHUB_TOKEN: token } };
}

/** The contexts of `run-name`, which is evaluated before the run has a token. */
export function titleContexts(
  { request, workflow }: { readonly request: WorkflowRequest; readonly workflow: Workflow },
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { github: eventContext(request, workflow), inputs, vars: {} };
}

/** `github`, of a job where there is one. */
export function githubContext(
  { request, workflow }: RunState,
  job?: { readonly id: string; readonly workspace: string },
): Record<string, unknown> {
  return {
    ...eventContext(request, workflow),
    job: job?.id ?? '',
    token: request.token,
    workspace: job?.workspace ?? '',
  };
}

/** Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts#github-context */
function eventContext(request: WorkflowRequest, workflow: Workflow): Record<string, unknown> {
  return {
    actor: request.actor,
    triggering_actor: request.actor,
    api_url: `${request.serverUrl}/api/v3`,
    graphql_url: `${request.serverUrl}/graphql`,
    server_url: request.serverUrl,
    event: request.payload,
    event_name: request.event,
    ref: request.ref,
    ref_name: request.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: request.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    head_ref: branchOf(request, 'head'),
    base_ref: branchOf(request, 'base'),
    repository: request.repository,
    repository_id: String(request.repositoryId),
    repository_owner: request.repository.split('/')[0] ?? '',
    run_attempt: String(request.attempt),
    run_id: String(request.runId),
    run_number: String(request.runNumber),
    sha: request.sha,
    workflow: workflow.name,
    workflow_ref: `${request.repository}/${request.path}@${request.ref}`,
    workflow_sha: request.sha,
  };
}

/** Of a pull request; empty for every other event. */
function branchOf({ payload }: WorkflowRequest, end: 'head' | 'base'): string {
  const { ref } = fieldsOf(fieldsOf(fieldsOf(payload).pull_request)[end]);
  return typeof ref === 'string' ? ref : '';
}
