/** What the server says of a job in its identity token: https://docs.github.com/enterprise-server/actions/reference/security/oidc#oidc-token-claims */
import { randomUUID } from 'node:crypto';
import { fieldsOf } from '../../referee/json.ts';
import type { Job, Run } from '../check-records.ts';
import { isProtectedRef } from '../environments.ts';
import type { Host } from '../host.ts';
import type { Repository } from '../records.ts';
import { accountOf } from '../repository-records.ts';

export interface Identified {
  readonly repository: Repository;
  readonly run: Run;
  readonly job: Job;
  readonly environment: string | undefined;
  /** Absent: the address of the repository's owner. */
  readonly audience: string | undefined;
}

export type Claims = Readonly<Record<(typeof CLAIMS)[number], string | number | undefined>> & { readonly exp: number };

/** All that there are; of these only `environment` may be missing in a token. */
export const CLAIMS = [
  ...['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf'],
  ...['actor', 'actor_id', 'base_ref', 'check_run_id', 'environment', 'event_name', 'head_ref'],
  ...['job_workflow_ref', 'job_workflow_sha', 'ref', 'ref_protected', 'ref_type'],
  ...['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'repository_visibility'],
  ...['run_attempt', 'run_id', 'run_number', 'runner_environment', 'sha'],
  ...['workflow', 'workflow_ref', 'workflow_sha'],
] as const;

/** Of GitHub's example, and as people measure it: https://github.com/google-github-actions/auth/issues/474 */
const LIFETIME_SECONDS = 300;
/** How far back a token is valid, for clocks that are late; of GitHub's example too. */
const BACKDATED_SECONDS = 600;

/** Who vouches for jobs, as GitHub Enterprise Server names itself. */
export function issuerOf(host: Host): string {
  return `${host.url()}/_services/token`;
}

/** The claims of a token that is made now; whatever is a number elsewhere is a text here, but for the times. */
export function claimsOf(host: Host, identified: Identified): Claims {
  const { audience, environment, job, repository } = identified;
  const iat = Math.floor(host.clock.now().getTime() / 1000);
  return {
    jti: randomUUID(),
    iss: issuerOf(host),
    sub: subjectOf(identified),
    aud: audience ?? `${host.url()}/${repository.owner}`,
    iat,
    nbf: iat - BACKDATED_SECONDS,
    exp: iat + LIFETIME_SECONDS,
    environment,
    check_run_id: String(job.checkRunId),
    runner_environment: 'self-hosted',
    ...repositoryClaims(host, repository),
    ...runClaims(host, identified),
  };
}

/** As on GitHub Enterprise Server, which has no ids in it: https://docs.github.com/enterprise-server/actions/reference/security/oidc#example-subject-claims */
function subjectOf({ repository, run, environment }: Identified): string {
  const from = `repo:${repository.owner}/${repository.name}`;
  if (environment !== undefined) return `${from}:environment:${environment.replaceAll(':', '%3A')}`;
  return run.event === 'pull_request' ? `${from}:pull_request` : `${from}:ref:${run.ref}`;
}

function repositoryClaims(host: Host, { id, owner, name }: Repository) {
  return {
    repository: `${owner}/${name}`,
    repository_id: String(id),
    repository_owner: owner,
    repository_owner_id: String(accountOf(host, owner).id),
    repository_visibility: 'public',
  };
}

function runClaims(host: Host, { repository, run }: Identified) {
  const workflowRef = `${repository.owner}/${repository.name}/${run.path}@${run.ref}`;
  const pull = fieldsOf(fieldsOf(run.payload).pull_request);
  return {
    actor: run.actor,
    actor_id: String(accountOf(host, run.actor).id),
    event_name: run.event,
    base_ref: branchIn(pull.base),
    head_ref: branchIn(pull.head),
    ref: run.ref,
    ref_protected: String(isProtectedRef(host, repository, run.ref)),
    ref_type: run.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    sha: run.sha,
    run_id: String(run.id),
    run_number: String(run.runNumber),
    run_attempt: String(run.attempt),
    workflow: run.name,
    workflow_ref: workflowRef,
    workflow_sha: run.sha,
    // No job here is of a reusable workflow, and then these are the workflow's own.
    job_workflow_ref: workflowRef,
    job_workflow_sha: run.sha,
  };
}

function branchIn(end: unknown): string {
  const { ref } = fieldsOf(end);
  return typeof ref === 'string' ? ref : '';
}
