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
    typeof environment === 'object' && environment.url !== undefined
      ? `environment: the url of ${environment.name} is not obeyed: there are no deployments here that would show it.`
      : undefined,
];

/** Sentences about one job. */
export function unobeyedByJob(job: WorkflowJobDefinition): readonly string[] {
  return IN_JOB.flatMap((sentence) => sentence(job) ?? []);
}
