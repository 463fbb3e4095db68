/** What a run is called: its workflow's `run-name`, evaluated when the run is queued. */

import { titleContexts } from './workflow-contexts.ts';
import { interpolate } from './workflow-expression.ts';
import type { Workflow } from './workflow-file.ts';
import { typedInputs } from './workflow-inputs.ts';
import type { WorkflowRequest } from './workflow-types.ts';

/**
 * The evaluated `run-name`; undefined when the workflow has none, or it says nothing.
 * @throws Error for a `run-name` that cannot be evaluated.
 * Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#run-name
 */
export function runNameOf(workflow: Workflow, request: WorkflowRequest): string | undefined {
  if (workflow.runName === undefined) return undefined;
  const contexts = titleContexts({ request, workflow }, typedInputs(workflow, request.inputs));
  return interpolate(workflow.runName, { status: 'success', contexts }).trim() || undefined;
}
