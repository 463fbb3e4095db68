/** The seam between the embedded GitHub, which hosts workflow runs, and the executor, which performs one. */

import type { Profile } from '../profile.ts';

/** What is known of a run as soon as it is queued. */
export interface WorkflowRequest {
  /** Path of the file in the repository, for messages: `.github/workflows/x.yml`. */
  readonly path: string;
  readonly event: 'workflow_dispatch' | 'push' | 'pull_request';
  /** The webhook payload of the event, as `github.event`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Inputs of a dispatch, already validated; empty for other events. */
  readonly inputs: Readonly<Record<string, string>>;
  /** `owner/name`. */
  readonly repository: string;
  readonly repositoryId: number;
  readonly defaultBranch: string;
  readonly actor: string;
  readonly sha: string;
  /** Full ref, `refs/heads/main`. */
  readonly ref: string;
  readonly runId: number;
  readonly runNumber: number;
  readonly attempt: number;
  /** Base address of this server, without a trailing slash; REST is under `/api/v3`. */
  readonly serverUrl: string;
  /** Which actions for artifacts it has. */
  readonly artifacts: Profile['artifacts'];
}

/** What a file grants to the job token. */
export type GrantedPermissions = 'read-all' | 'write-all' | Readonly<Record<string, 'read' | 'write' | 'none'>>;

/** What a job says of itself before it begins. */
export interface JobClaim {
  /** The key under `jobs:`. */
  readonly id: string;
  readonly name: string;
  /** Of the job, else of the workflow. */
  readonly permissions: GrantedPermissions | undefined;
  /** Where it deploys to. */
  readonly environment: string | undefined;
  readonly concurrency: Concurrency | undefined;
  /** Ends the job as cancelled, when it runs already. */
  readonly cancel: (reason: string) => void;
}

/** Of a group one run, or one job, is performed at a time; `cancelsRunning` ends the one that is. */
export interface Concurrency {
  readonly group: string;
  readonly cancelsRunning: boolean;
}

export type Admission =
  /** With what its steps find in their environment beside the rest, and what of it no log shows. */
  | {
      readonly admitted: true;
      readonly variables: Readonly<Record<string, string>>;
      readonly secrets: readonly string[];
    }
  /** The reason is empty where the run's end is reason enough. */
  | { readonly admitted: false; readonly conclusion: 'failure' | 'cancelled'; readonly reason: string };

/** A run as its jobs see it, in whatever process they are performed. */
export interface PerformedRun extends WorkflowRequest {
  /** The file's text, read from the commit that the event names. */
  readonly text: string;
  readonly cloneUrl: string;
  /** The job token (GITHUB_TOKEN), with the permissions of the workflow or of the job. */
  readonly token: string;
  /** Asked before a job's first step; resolves when it is the job's turn. */
  readonly admit: (claim: JobClaim) => Promise<Admission>;
  readonly signal: AbortSignal;
  /** Called when a job starts, after each step and when it ends, always with the whole job so far. */
  readonly onJob: (job: WorkflowJob) => void;
}

export interface WorkflowExecution extends PerformedRun {
  /** Another token, for a job with permissions of its own. */
  readonly tokenFor: (permissions: GrantedPermissions) => string;
  /** An empty directory of the run's own, which keeps what its jobs leave behind: `artifacts/`, `logs/`, `summaries/`. */
  readonly directory: string;
  readonly onArtifact: (artifact: WorkflowArtifact) => void;
}

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped' | 'timed_out';

export interface WorkflowStep {
  readonly number: number;
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: Conclusion | undefined;
  readonly startedAt: string | undefined;
  readonly completedAt: string | undefined;
}

export interface WorkflowAnnotation {
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly path: string | undefined;
  readonly line: number | undefined;
}

export interface WorkflowJob {
  /** The key under `jobs:`. */
  readonly id: string;
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: Conclusion | undefined;
  readonly startedAt: string | undefined;
  readonly completedAt: string | undefined;
  readonly steps: readonly WorkflowStep[];
  readonly annotations: readonly WorkflowAnnotation[];
  /** The whole log so far, masked. */
  readonly log: string;
}

export interface WorkflowArtifact {
  readonly name: string;
  /** The zip file on disk, under `directory/artifacts`. */
  readonly file: string;
  readonly sizeBytes: number;
  /** `sha256:<hex>` of the zip. */
  readonly digest: string;
}

export interface WorkflowResult {
  /** The evaluated `run-name`, or the workflow's name. */
  readonly title: string;
  readonly conclusion: Exclude<Conclusion, 'skipped'>;
  readonly jobs: readonly WorkflowJob[];
}
