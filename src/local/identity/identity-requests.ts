/** With what a job asks who it is: an address of its own, and a token that is good for nothing else and ends with the job. */
import { createHash, randomBytes } from 'node:crypto';
import type { IdentityRequest, Job, Run } from '../check-records.ts';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { type Claims, claimsOf, type Identified } from './claims.ts';

/** What the steps of the job find in their environment: https://docs.github.com/actions/reference/security/oidc */
export interface IdentityVariables extends Readonly<Record<string, string>> {
  readonly ACTIONS_ID_TOKEN_REQUEST_URL: string;
  readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
}

/** Below it is what a runner asks, and nobody else: GitHub Enterprise Server has its runners' service there. */
export const REQUESTS_PATH = '/_services/pipelines/_apis/distributedtask/hubs/Actions/plans/:run/jobs/:job/idtoken';

/** Lets a job that grants `id-token: write` ask. */
export function openIdentityRequest(
  host: Host,
  { job, environment }: { readonly job: Job; readonly environment: string | undefined },
): IdentityVariables {
  const token = randomBytes(32).toString('base64url');
  host.state.identityRequests.insert({ digest: digestOf(token), jobId: job.id, environment });
  const path = REQUESTS_PATH.replace(':run', String(job.runId)).replace(':job', String(job.id));
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${host.url()}${path}?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
  };
}

export interface Asking {
  readonly run: string;
  readonly job: string;
  readonly authorization: string | undefined;
  readonly audience: string | undefined;
}

/** Who the job is that asks. @throws HttpError 401 for a token that is unknown, another job's, or of a job that does not run */
export function identityOf(host: Host, { run, job, authorization, audience }: Asking): Claims {
  const [, token] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  const request = token && host.state.identityRequests.first({ digest: digestOf(token) });
  const identified = request ? runningJobOf(host, request) : undefined;
  if (identified === undefined || String(identified.job.id) !== job || String(identified.run.id) !== run)
    throw new HttpError(401, 'The token is unknown, or of another job, or its job does not run.');
  return claimsOf(host, { ...identified, audience: audience === '' ? undefined : audience });
}

/** No token of the run is of use any more. */
export function endIdentityRequests({ state }: Host, run: Run): void {
  for (const { id } of state.jobs.find({ runId: run.id }))
    for (const request of state.identityRequests.find({ jobId: id })) state.identityRequests.remove(request.id);
}

function runningJobOf({ state }: Host, request: IdentityRequest): Omit<Identified, 'audience'> | undefined {
  const job = state.jobs.get(request.jobId);
  const run = job && state.runs.get(job.runId);
  const repository = run && state.repositories.get(run.repositoryId);
  const isRunning = run?.status === 'in_progress' && job?.status === 'in_progress' && job.attempt === run.attempt;
  return isRunning && repository ? { repository, run, job, environment: request.environment } : undefined;
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
