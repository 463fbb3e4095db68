/** What the embedded GitHub remembers of check runs, statuses and workflow runs. */
import { z } from 'zod';

const id = z.number();
const text = z.string();
const optionalText = z.string().optional();
const repositoryId = z.number();

export const CHECK_CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
  'stale',
  'startup_failure',
] as const;

const statusSchema = z.enum(['queued', 'in_progress', 'completed']);

export const checkSuiteSchema = z.object({
  id,
  repositoryId,
  headSha: text,
  headBranch: optionalText,
  /** The App's slug. */
  app: text,
  /** A suite of a workflow run holds that run's jobs only. */
  runId: z.number().optional(),
  createdAt: text,
  updatedAt: text,
});
export type CheckSuite = z.infer<typeof checkSuiteSchema>;

export const annotationSchema = z.object({
  path: text,
  start_line: z.number(),
  end_line: z.number(),
  start_column: z.number().optional(),
  end_column: z.number().optional(),
  annotation_level: z.enum(['notice', 'warning', 'failure']),
  message: text,
  title: optionalText,
  raw_details: optionalText,
});

export const checkActionSchema = z.object({ label: text, description: text, identifier: text });

export const checkRunSchema = z.object({
  id,
  repositoryId,
  suiteId: z.number(),
  headSha: text,
  /** The App's slug. */
  app: text,
  name: text,
  status: statusSchema,
  conclusion: z.enum(CHECK_CONCLUSIONS).optional(),
  externalId: text,
  detailsUrl: optionalText,
  startedAt: text,
  completedAt: optionalText,
  title: optionalText,
  summary: optionalText,
  text: optionalText,
  annotations: z.array(annotationSchema),
  actions: z.array(checkActionSchema),
});
export type CheckRun = z.infer<typeof checkRunSchema>;

export const statusRecordSchema = z.object({
  id,
  repositoryId,
  sha: text,
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: text,
  description: optionalText,
  targetUrl: optionalText,
  creator: text,
  createdAt: text,
});
export type CommitStatus = z.infer<typeof statusRecordSchema>;

export const workflowSchema = z.object({ id, repositoryId, path: text, name: text, createdAt: text });
export type Workflow = z.infer<typeof workflowSchema>;

export const RUN_EVENTS = ['workflow_dispatch', 'push', 'pull_request'] as const;

export const runSchema = z.object({
  id,
  repositoryId,
  workflowId: z.number(),
  path: text,
  name: text,
  title: text,
  event: z.enum(RUN_EVENTS),
  ref: text,
  headBranch: text,
  headSha: text,
  /** The commit that is checked out: for a pull request its test merge. */
  sha: text,
  runNumber: z.number(),
  attempt: z.number(),
  suiteId: z.number(),
  status: statusSchema,
  conclusion: z.enum(CHECK_CONCLUSIONS).optional(),
  actor: text,
  inputs: z.record(z.string(), z.string()),
  payload: z.record(z.string(), z.unknown()),
  headCommit: z.record(z.string(), z.unknown()),
  /** The group of which one run is performed at a time. */
  concurrency: z.object({ group: text, cancelsRunning: z.boolean() }).optional(),
  /** Why the run could not be executed at all. */
  problem: optionalText,
  createdAt: text,
  startedAt: text,
  updatedAt: text,
});
export type RunEvent = (typeof RUN_EVENTS)[number];
export type Run = z.infer<typeof runSchema>;

export const stepSchema = z.object({
  number: z.number(),
  name: text,
  status: statusSchema,
  conclusion: z.enum(CHECK_CONCLUSIONS).optional(),
  startedAt: optionalText,
  completedAt: optionalText,
});

export const jobSchema = z.object({
  id,
  repositoryId,
  runId: z.number(),
  attempt: z.number(),
  key: text,
  name: text,
  status: statusSchema,
  conclusion: z.enum(CHECK_CONCLUSIONS).optional(),
  startedAt: text,
  completedAt: optionalText,
  createdAt: text,
  steps: z.array(stepSchema),
  log: text,
  checkRunId: z.number(),
});
export type Job = z.infer<typeof jobSchema>;

/** Where jobs deploy to; absent `branches` let every ref deploy. */
export const environmentSchema = z.object({
  id,
  repositoryId,
  name: text,
  branches: z.enum(['protected', 'custom']).optional(),
  createdAt: text,
  updatedAt: text,
});
export type Environment = z.infer<typeof environmentSchema>;

/** A name pattern of refs that may deploy to an environment with `custom` branches. */
export const branchPolicySchema = z.object({
  id,
  environmentId: z.number(),
  name: text,
  type: z.enum(['branch', 'tag']),
});
export type BranchPolicy = z.infer<typeof branchPolicySchema>;

/** With what a job asks for its identity; only the token's digest is kept. */
export const identityRequestSchema = z.object({
  id,
  digest: text,
  jobId: z.number(),
  /** The environment of the job, as its file writes it. */
  environment: optionalText,
});
export type IdentityRequest = z.infer<typeof identityRequestSchema>;

export const artifactSchema = z.object({
  id,
  repositoryId,
  runId: z.number(),
  name: text,
  file: text,
  sizeBytes: z.number(),
  digest: text,
  createdAt: text,
});
export type Artifact = z.infer<typeof artifactSchema>;
