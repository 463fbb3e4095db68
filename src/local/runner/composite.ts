/** Performs a local composite action: `uses: ./path` with an `action.yml` of the workspace. */
import { join, relative, resolve } from 'node:path';
import { interpolate, interpolateMap } from '../actions/workflow-expression.ts';
import { type CompositeAction, parseCompositeAction } from '../actions/workflow-file.ts';
import { type Frame, type JobState, type StepResult, scopeOf } from './frame.ts';
import { readInside } from './inside.ts';

export interface CompositeCall {
  /** `./path`, from the workspace. */
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly frame: Frame;
}

/**
 * Performs the action's steps in a frame of their own and resolves to its declared outputs.
 * @throws Error when there is no action file, it is not composite, or a required input is missing.
 */
export async function performComposite({ uses, inputs, environment, frame }: CompositeCall): Promise<StepResult> {
  const actionPath = resolve(frame.job.workspace, uses);
  if (relative(frame.job.workspace, actionPath).startsWith('..')) throw new Error(`"${uses}" leaves the workspace.`);
  const action = await readAction(frame.job, actionPath, uses);
  if (frame.depth >= 10) throw new Error(`"${uses}" nests composite actions more than ten deep.`);
  const nested: Frame = {
    ...frame,
    inputs: inputsOf(action, inputs, frame),
    steps: {},
    environment: { ...frame.environment, ...environment },
    actionPath,
    depth: frame.depth + 1,
    status: 'success',
  };
  await frame.performSteps(action.runs.steps, nested);
  const templates = Object.entries(action.outputs).map(([name, { value }]) => [name, value] as const);
  const outputs = interpolateMap(Object.fromEntries(templates), scopeOf(nested));
  return { outputs, failure: nested.status === 'success' ? undefined : `A step of the action "${uses}" failed.` };
}

async function readAction(job: JobState, actionPath: string, uses: string): Promise<CompositeAction> {
  for (const name of ['action.yml', 'action.yaml']) {
    const text = await readInside(job, join(actionPath, name)).catch(() => undefined);
    if (text !== undefined) return parseCompositeAction(text.toString('utf8'), `${uses}/${name}`);
  }
  throw new Error(
    `Can't find 'action.yml' or 'action.yaml' under '${actionPath}'. Did you forget to run actions/checkout before running your local action?`,
  );
}

function inputsOf(
  action: CompositeAction,
  given: Readonly<Record<string, string>>,
  frame: Frame,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, { default: fallback, required }] of Object.entries(action.inputs)) {
    const value = given[name] ?? (fallback === undefined ? undefined : interpolate(fallback, scopeOf(frame)));
    if (value === undefined && required === true) throw new Error(`Input required and not supplied: ${name}`);
    values[name] = value ?? '';
  }
  return values;
}
