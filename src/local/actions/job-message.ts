/** What GitHub and a runner tell each other of a job, as JSON over HTTP. GitHub's own protocol between them is not described; this one has its parts: a job message, a token per job, a log that is appended to. */
import { z } from 'zod';
import type { Admission, JobClaim, WorkflowJob } from './workflow-types.ts';

/** Below it is what runners ask, and nobody else. */
export const RUNNER_PATH = '/_services/runner';

/** Asks the server to show itself as it does to steps; that can only take something away. */
export const ENCLOSED_HEADER = 'loopwright-enclosed';

const texts = z.record(z.string(), z.string());
const values = z.record(z.string(), z.unknown());
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** All that a runner needs to perform one job. */
export const jobMessage = z.strictObject({
  /** With which the runner speaks of this job, and of nothing else, until it has ended. */
  token: z.string(),
  /** The key under `jobs:`. */
  id: z.string(),
  matrix: z.record(z.string(), scalar),
  needs: values,
  inputs: values,
  notes: z.array(z.string()),
  key: z.string(),
  run: z.strictObject({
    path: z.string(),
    text: z.string(),
    event: z.enum(['workflow_dispatch', 'push', 'pull_request']),
    payload: values,
    inputs: texts,
    repository: z.string(),
    repositoryId: z.int(),
    defaultBranch: z.string(),
    actor: z.string(),
    sha: z.string(),
    ref: z.string(),
    runId: z.int(),
    runNumber: z.int(),
    attempt: z.int(),
    serverUrl: z.url(),
    artifacts: z.enum(['newest', 'older']),
    cloneUrl: z.url(),
    /** GITHUB_TOKEN. */
    token: z.string(),
  }),
});
export type JobMessage = z.infer<typeof jobMessage>;

const permissions = z.union([
  z.enum(['read-all', 'write-all']),
  z.record(z.string(), z.enum(['read', 'write', 'none'])),
]);

/** What the job says of itself before its first step. */
export const claimMessage = z.strictObject({
  id: z.string(),
  name: z.string(),
  permissions: permissions.optional(),
  environment: z.string().optional(),
  concurrency: z.strictObject({ group: z.string(), cancelsRunning: z.boolean() }).optional(),
});
export type ClaimMessage = z.infer<typeof claimMessage>;

/** The answer to a claim; `waiting` is asked again. */
export const admissionMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('waiting') }),
  z.strictObject({ type: z.literal('admitted'), variables: texts, secrets: z.array(z.string()) }),
  z.strictObject({ type: z.literal('refused'), conclusion: z.enum(['failure', 'cancelled']), reason: z.string() }),
]);
export type AdmissionMessage = z.infer<typeof admissionMessage>;

export function admissionMessageOf(admission: Admission): AdmissionMessage {
  if (!admission.admitted) return { type: 'refused', conclusion: admission.conclusion, reason: admission.reason };
  return { type: 'admitted', variables: { ...admission.variables }, secrets: [...admission.secrets] };
}

export function admissionOf(message: Exclude<AdmissionMessage, { readonly type: 'waiting' }>): Admission {
  if (message.type === 'admitted') return { admitted: true, variables: message.variables, secrets: message.secrets };
  return { admitted: false, conclusion: message.conclusion, reason: message.reason };
}

export function claimMessageOf({ id, name, permissions, environment, concurrency }: JobClaim): ClaimMessage {
  return {
    ...{ id, name, environment },
    permissions: typeof permissions === 'object' ? { ...permissions } : permissions,
    concurrency: concurrency && { ...concurrency },
  };
}

const moment = z.iso.datetime().optional();
const conclusion = z.enum(['success', 'failure', 'cancelled', 'skipped', 'timed_out']);
const status = z.enum(['queued', 'in_progress', 'completed']);

/** The job as far as it has come. Of its log comes what is new, and where in it that stands. */
export const stateMessage = z.strictObject({
  job: z.strictObject({
    id: z.string(),
    name: z.string(),
    status,
    conclusion: conclusion.optional(),
    startedAt: moment,
    completedAt: moment,
    steps: z.array(
      z.strictObject({
        number: z.int(),
        name: z.string(),
        status,
        conclusion: conclusion.optional(),
        startedAt: moment,
        completedAt: moment,
      }),
    ),
    annotations: z.array(
      z.strictObject({
        level: z.enum(['notice', 'warning', 'failure']),
        message: z.string(),
        path: z.string().optional(),
        line: z.int().optional(),
      }),
    ),
  }),
  log: z.strictObject({ from: z.int().min(0), text: z.string() }),
});
export type StateMessage = z.infer<typeof stateMessage>;

/** The whole job again, with the log that came before. */
export function jobOf({ job, log }: StateMessage, before: string): WorkflowJob {
  return {
    ...job,
    ...{ conclusion: job.conclusion, startedAt: job.startedAt, completedAt: job.completedAt },
    steps: job.steps.map((step) => ({
      ...step,
      ...{ conclusion: step.conclusion, startedAt: step.startedAt, completedAt: step.completedAt },
    })),
    annotations: job.annotations.map((annotation) => ({ ...annotation, path: annotation.path, line: annotation.line })),
    log: before.slice(0, log.from) + log.text,
  };
}

/** How the job ended. */
export const endMessage = z.strictObject({ conclusion, outputs: texts });

/** Whether the job is to end early: with its run where there is no reason, else alone. `false` after a while is asked again. */
export const cancellationMessage = z.strictObject({ isCancelled: z.boolean(), reason: z.string() });

export const summaryMessage = z.strictObject({ job: z.string(), text: z.string() });
export const artifactNames = z.strictObject({ names: z.array(z.string()) });
