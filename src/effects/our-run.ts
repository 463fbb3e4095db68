/** Whether a workflow run is the one that the App dispatched. */
import { ArtifactError } from '../errors.ts';
import type { WorkflowRun } from '../github/github-port.ts';

/**
 * The run must be the one that we dispatched on the default branch's own file; a re-run or a renamed workflow is not.
 * @throws {ArtifactError} when it is not.
 */
export function assertOurs(
  run: WorkflowRun,
  { purpose, workflow }: { readonly purpose: string; readonly workflow: string },
): void {
  const problem =
    (run.event !== 'workflow_dispatch' && `it was started by ${run.event}`) ||
    (run.path.split('@')[0] !== `.github/workflows/${workflow}` && `it ran ${run.path}`) ||
    (run.attempt !== 1 && `it is attempt ${run.attempt}`);
  if (problem)
    throw new ArtifactError(
      `Run ${run.id} is not the run that was dispatched for ${purpose}: ${problem}. Nothing of it was taken over.`,
    );
}
