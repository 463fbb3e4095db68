/** Keeps what `onJob` is told: a job and its steps, with times, as they go. */
import type { WorkflowLog } from './workflow-log.ts';
import type { Conclusion, WorkflowJob, WorkflowStep } from './workflow-types.ts';

export interface JobReport {
  readonly started: (index: number) => void;
  readonly completed: (index: number, ended: Pick<WorkflowStep, 'conclusion'>) => void;
  /** What it is called, before it starts or where it never does. */
  readonly named: (name: string) => void;
  readonly start: (stepNames: readonly string[]) => void;
  /** Tells the job again where its log has grown since. */
  readonly refresh: () => void;
  /** Concludes the job; steps that never ran are cancelled or skipped with it. */
  readonly end: (conclusion: Conclusion) => WorkflowJob;
}

export interface JobReportRequest {
  readonly id: string;
  /** Until `named` says more. */
  readonly name: string;
  readonly log: Pick<WorkflowLog, 'text' | 'annotations'>;
  readonly onJob: (job: WorkflowJob) => void;
}

/** Creates the report of a job that has not started. */
export function createJobReport({ id, name, log, onJob }: JobReportRequest): JobReport {
  let steps: WorkflowStep[] = [];
  let job: WorkflowJob = { ...queued(id, name), annotations: [], log: '' };
  const tell = (changes: Partial<WorkflowJob> = {}): WorkflowJob => {
    job = { ...job, ...changes, steps: [...steps], annotations: log.annotations(), log: log.text() };
    onJob(job);
    return job;
  };
  const change = (index: number, changes: Partial<WorkflowStep>): void => {
    steps = steps.map((step, position) => (position === index ? { ...step, ...changes } : step));
  };
  return {
    named: (jobName) => {
      job = { ...job, name: jobName };
    },
    start: (stepNames) => {
      steps = stepNames.map((stepName, index) => queuedStep(index + 1, stepName));
      tell({ status: 'in_progress', startedAt: now() });
    },
    refresh: () => {
      if (job.status === 'in_progress' && log.text().length > job.log.length) tell();
    },
    started: (index) => change(index, { status: 'in_progress', startedAt: now() }),
    completed: (index, { conclusion }) => {
      change(index, { status: 'completed', conclusion, completedAt: now() });
      tell();
    },
    end: (conclusion) => {
      const rest = conclusion === 'cancelled' ? 'cancelled' : 'skipped';
      steps = steps.map((step) =>
        step.status === 'completed' ? step : { ...step, status: 'completed', conclusion: rest, completedAt: now() },
      );
      return tell({ status: 'completed', conclusion, startedAt: job.startedAt ?? now(), completedAt: now() });
    },
  };
}

const now = (): string => new Date().toISOString();

function queued(id: string, name: string): Omit<WorkflowJob, 'annotations' | 'log'> {
  return {
    id,
    name,
    status: 'queued',
    conclusion: undefined,
    startedAt: undefined,
    completedAt: undefined,
    steps: [],
  };
}

function queuedStep(number: number, name: string): WorkflowStep {
  return {
    number,
    name,
    status: 'queued',
    conclusion: undefined,
    startedAt: undefined,
    completedAt: undefined,
  };
}
