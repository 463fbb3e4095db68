/** The parts of GitHub's REST answers that the pages show. */
import { z } from 'zod';
import type { LocalPerson } from '../people.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const optional = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

const person = z.object({ login: z.string(), type: optional });
const author = person.nullish().transform((value) => value ?? { login: 'ghost', type: undefined });

export const label = z.object({ name: z.string(), color: text, description: text });
export const reaction = z.object({ content: z.string(), user: author });
export const repository = z.object({
  full_name: z.string(),
  description: text,
  default_branch: z.string(),
  archived: z.boolean().optional(),
  /** Of whoever reads; absent for nobody. */
  permissions: z.object({ admin: z.boolean().optional(), push: z.boolean().optional() }).optional(),
});

export const issue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  state_reason: optional,
  body: text,
  user: author,
  created_at: z.string(),
  updated_at: z.string(),
  comments: z.number().optional(),
  labels: z.array(label),
  pull_request: z.object({}).optional(),
});

export const comment = z.object({
  id: z.number(),
  body: text,
  user: author,
  created_at: z.string(),
  updated_at: z.string(),
});

const end = z.object({ ref: z.string(), sha: z.string() });
export const pull = z.object({
  node_id: z.string(),
  number: z.number(),
  title: z.string(),
  state: z.string(),
  draft: z.boolean().optional(),
  merged: z.boolean().optional(),
  merged_at: optional,
  mergeable: z.boolean().nullish(),
  mergeable_state: optional,
  body: text,
  user: author,
  created_at: z.string(),
  updated_at: z.string(),
  labels: z.array(label),
  head: end,
  base: end,
});

export const review = z.object({
  id: z.number(),
  state: z.string(),
  body: text,
  user: author,
  submitted_at: optional,
  commit_id: optional,
});

/** What a review says about one line. */
export const reviewComment = z.object({
  id: z.number(),
  pull_request_review_id: z.number().nullable(),
  path: z.string(),
  line: z.number().nullish(),
  diff_hunk: z.string(),
  body: text,
});

export const changedFile = z.object({
  filename: z.string(),
  previous_filename: optional,
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  patch: z.string().optional(),
});

export const commit = z.object({
  sha: z.string(),
  author: person.nullish(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: text, date: optional }).nullish(),
    verification: z.object({ verified: z.boolean() }).optional(),
  }),
  parents: z.array(z.object({ sha: z.string() })).optional(),
  files: z.array(changedFile).optional(),
});

/** GitHub takes the buttons of a check run but never shows them by REST, so they come from the embedded GitHub's own route. */
export const checkButton = z.object({ label: z.string(), description: text, identifier: z.string() });
export const checkRun = z.object({
  id: z.number(),
  name: z.string(),
  head_sha: z.string(),
  status: z.string(),
  conclusion: optional,
  started_at: optional,
  completed_at: optional,
  details_url: optional,
  output: z.object({ title: text, summary: text, text, annotations_count: z.number().optional() }),
  app: z.object({ slug: text, name: text }).nullish(),
});
export const checkRuns = z.object({ check_runs: z.array(checkRun) });

export const annotation = z.object({
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
  annotation_level: text,
  title: text,
  message: text,
  raw_details: text,
});

export const commitStatus = z.object({
  statuses: z.array(z.object({ state: z.string(), context: z.string(), description: text, target_url: optional })),
});

export const workflowRun = z.object({
  id: z.number(),
  name: text,
  display_title: text,
  run_number: z.number(),
  run_attempt: z.number().optional(),
  event: z.string(),
  status: text,
  conclusion: optional,
  head_branch: text,
  head_sha: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  actor: author,
});
export const queueState = z.object({ isRequired: z.boolean(), isIn: z.boolean() });
export type QueueState = z.infer<typeof queueState>;
export const runProblem = z.object({ problem: z.string().nullable() });
export const workflowRuns = z.object({ workflow_runs: z.array(workflowRun) });

const step = z.object({
  name: z.string(),
  number: z.number(),
  status: z.string(),
  conclusion: optional,
  started_at: optional,
  completed_at: optional,
});
export const job = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: optional,
  started_at: optional,
  completed_at: optional,
  steps: z.array(step).optional(),
});
export const jobs = z.object({ jobs: z.array(job) });

export const artifact = z.object({
  id: z.number(),
  name: z.string(),
  size_in_bytes: z.number(),
  expired: z.boolean(),
  digest: optional,
});
export const artifacts = z.object({ artifacts: z.array(artifact) });

export const contentEntry = z.object({
  name: z.string(),
  path: z.string(),
  type: z.string(),
  size: z.number().optional(),
});
export const content = z.union([
  z.array(contentEntry),
  contentEntry.extend({ content: text, encoding: text, size: z.number() }),
]);
export const tree = z.object({ tree: z.array(z.object({ path: z.string(), type: z.string() })) });
export const gitReference = z.object({ ref: z.string(), object: z.object({ sha: z.string() }) });

export type Label = z.infer<typeof label>;
export type Reaction = z.infer<typeof reaction>;
export type LocalUser = LocalPerson;
export type Repository = z.infer<typeof repository>;
export type Issue = z.infer<typeof issue>;
export type Comment = z.infer<typeof comment>;
export type Pull = z.infer<typeof pull>;
export type Review = z.infer<typeof review>;
export type ReviewComment = z.infer<typeof reviewComment>;
export type ChangedFile = z.infer<typeof changedFile>;
export type Commit = z.infer<typeof commit>;
export type CheckRun = z.infer<typeof checkRun>;
export type CheckButton = z.infer<typeof checkButton>;
export type Annotation = z.infer<typeof annotation>;
export type WorkflowRun = z.infer<typeof workflowRun>;
export type Job = z.infer<typeof job>;
export type Artifact = z.infer<typeof artifact>;
