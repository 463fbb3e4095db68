/** A job of a run as whoever performs it is given it, and what comes back. */
import type { Workflow, WorkflowJobDefinition } from './workflow-file.ts';
import type { RunFiles } from './workflow-run-files.ts';
import type { Conclusion, PerformedRun, WorkflowJob } from './workflow-types.ts';

/** One run, of which a job is performed. */
export interface RunState {
  readonly request: PerformedRun;
  readonly workflow: Workflow;
  readonly files: RunFiles;
}

/** One value for each key of the matrix. */
export type Combination = Readonly<Record<string, string | number | boolean>>;

export interface JobRequest {
  readonly run: RunState;
  readonly id: string;
  readonly definition: WorkflowJobDefinition;
  /** One combination of the matrix; empty without one. */
  readonly matrix: Combination;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What stands on this job about the whole run. */
  readonly notes: readonly string[];
  /** Names the job within the run. */
  readonly key: string;
}

export interface JobOutcome {
  readonly conclusion: Conclusion;
  readonly outputs: Readonly<Record<string, string>>;
  readonly job: WorkflowJob;
}

/** Has a job performed, wherever that is; whatever goes wrong in it is its conclusion, never a rejection. */
export type PerformJob = (request: JobRequest) => Promise<JobOutcome>;
