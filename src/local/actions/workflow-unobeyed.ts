/** What the local runner reads in a workflow file and does not obey: one table, each with the sentence that stands on the run. */
import type { Workflow, WorkflowJobDefinition } from './workflow-file.ts';

const STARTED_HERE = ['push', 'pull_request', 'workflow_dispatch'];

/** Sentences about the whole workflow; they stand on its first job. */
export function unobeyedByRun({ on }: Workflow): readonly string[] {
  const others = Object.keys(on).filter((event) => !STARTED_HERE.includes(event));
  return others.length === 0
    ? []
    : [`on: ${others.join(', ')} is not obeyed: here a push, a pull request and a dispatch start workflows.`];
}

const IN_JOB: readonly ((job: WorkflowJobDefinition) => string | undefined)[] = [
  ({ 'runs-on': runsOn }) => {
    const labels = [runsOn].flat();
    return labels.some((label) => /^(?:windows|macos)/i.test(label))
      ? `runs-on: ${labels.join(', ')} is not obeyed: every job runs on this machine, which is Linux.`
      : undefined;
  },
  ({ environment }) =>
    environment &&
    `environment: ${typeof environment === 'string' ? environment : environment.name} is not obeyed: there are no environments here, so nobody is asked and no secret of one is given.`,
  ({ concurrency }) => concurrency && 'concurrency of the job is not obeyed: only that of the workflow is.',
];

/** Sentences about one job. */
export function unobeyedByJob(job: WorkflowJobDefinition): readonly string[] {
  return IN_JOB.flatMap((sentence) => sentence(job) ?? []);
}
