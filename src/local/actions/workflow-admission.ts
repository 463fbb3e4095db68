/** Whether a job may begin, and what it is given: its environment's rules, its turn in its group, its identity. */
import type { Run } from '../check-records.ts';
import { deploymentRefusal, environmentOf } from '../environments.ts';
import type { Host } from '../host.ts';
import { found } from '../http-error.ts';
import { openIdentityRequest } from '../identity/identity-requests.ts';
import { holdersOf } from './workflow-concurrency.ts';
import { openJob } from './workflow-jobs.ts';
import { permissionsOf } from './workflow-permissions.ts';
import type { Admission, Concurrency, JobClaim } from './workflow-types.ts';

/** Resolves when the job may begin, or must not; `signal` is the run's. */
export async function admitJob(
  host: Host,
  run: Run,
  claim: JobClaim & { readonly signal: AbortSignal },
): Promise<Admission> {
  const job = openJob(host, run, claim);
  const refusal = refusalOf(host, run, claim);
  if (refusal !== undefined) return { admitted: false, conclusion: 'failure', reason: refusal };
  const { concurrency } = claim;
  const away = concurrency && (await enter(host, run, { ...claim, concurrency, jobId: job.id }));
  if (away !== undefined) return { admitted: false, conclusion: 'cancelled', reason: away };
  const isIdentified = permissionsOf(claim.permissions).id_token === 'write';
  if (!isIdentified) return { admitted: true, variables: {}, secrets: [] };
  const variables = openIdentityRequest(host, { job, environment: claim.environment });
  return { admitted: true, variables, secrets: [variables.ACTIONS_ID_TOKEN_REQUEST_TOKEN] };
}

function refusalOf(host: Host, run: Run, { environment: name }: JobClaim): string | undefined {
  if (name === undefined) return undefined;
  const repository = found(host.state.repositories.get(run.repositoryId));
  return deploymentRefusal(host, { repository, environment: environmentOf(host, repository, name), ref: run.ref });
}

interface Entering extends JobClaim {
  readonly concurrency: Concurrency;
  readonly signal: AbortSignal;
  readonly jobId: number;
}

/** Why the job lost its turn; undefined when it is its turn. */
async function enter(host: Host, run: Run, { concurrency, ...claim }: Entering): Promise<string | undefined> {
  const { group, cancelsRunning } = concurrency;
  const { repositoryId } = run;
  if (run.concurrency?.group === group)
    return `Canceling since a deadlock for concurrency group '${group}' was detected between 'top level workflow' and '${claim.name}'`;
  const holders = cancelsRunning ? holdersOf(host.state, { repositoryId, group }) : [];
  for (const holder of holders) host.running.get(holder.id)?.abort();
  const { jobId, signal, cancel } = claim;
  return host.jobGroups.enter({ ...concurrency, repositoryId, runId: run.id, jobId, signal, cancel });
}
