/** Performs a `uses:` step: a few of GitHub's own actions, built in, and composite actions of the workspace. */

import { interpolateMap } from '../actions/workflow-expression.ts';
import type { WorkflowStepDefinition } from '../actions/workflow-file.ts';
import { downloadArtifact } from './artifact-download.ts';
import { uploadArtifact } from './artifact-upload.ts';
import { checkout } from './checkout.ts';
import { performComposite } from './composite.ts';
import { enclosureOf, environmentOf, type Frame, nodeDirectory, type StepResult, scopeOf } from './frame.ts';
import { runProcess } from './process.ts';

/** Performs the action that the step names; the part after `@` is not looked at, as the action is built in, but for what a server is too old for. */
export async function performAction(
  step: WorkflowStepDefinition,
  stepEnvironment: Readonly<Record<string, string>>,
  frame: Frame,
): Promise<StepResult> {
  const uses = step.uses ?? '';
  const inputs = interpolateMap(step.with, scopeOf(frame, stepEnvironment));
  announce(uses, inputs, frame);
  if (uses.startsWith('./')) return performComposite({ uses, inputs, environment: stepEnvironment, frame });
  const [name = '', ref = ''] = uses.toLowerCase().split('@');
  const { artifacts } = frame.run.request;
  if (artifacts === 'older' && ARTIFACTS.includes(name) && !OLDER.test(ref))
    throw new Error(
      '@actions/artifact v2.0.0+, upload-artifact@v4+ and download-artifact@v4+ are not currently supported on GHES.',
    );
  const action = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (action !== undefined) return action(inputs, frame);
  const known = Object.keys(builtIn).join(', ');
  throw new Error(`The local runner does not know "${uses}"; it has ${known} and composite actions by "./path".`);
}

type BuiltInAction = (inputs: Readonly<Record<string, string>>, frame: Frame) => Promise<StepResult>;

const builtIn: Readonly<Record<string, BuiltInAction>> = {
  'actions/checkout': checkout,
  'actions/setup-node': setupNode,
  'actions/setup-python': setupPython,
  'actions/upload-artifact': uploadArtifact,
  'actions/download-artifact': downloadArtifact,
};

const ARTIFACTS: readonly string[] = ['actions/upload-artifact', 'actions/download-artifact'];
/** Tags of the third version, and its commits that run on Node 20. */
const OLDER = /^(?:v3(?:[.-].*)?|c24449f33cd45d4826c6702db7e49f7cdb9b551d|246d7188e736d3686f6d19628d253ede9697bd55)$/;

function announce(uses: string, inputs: Readonly<Record<string, string>>, frame: Frame): void {
  const { log } = frame.job;
  log.write(`##[group]Run ${uses}`);
  for (const [name, value] of Object.entries(inputs)) log.write(`  ${name}: ${value}`);
  log.write('##[endgroup]');
}

async function setupNode(inputs: Readonly<Record<string, string>>, frame: Frame): Promise<StepResult> {
  const { job } = frame;
  const asked = inputs['node-version'] ?? '';
  const isOther = /^v?\d/.test(asked) && Number.parseInt(asked.replace('v', ''), 10) !== majorOf(process.versions.node);
  if (isOther) {
    const message = `Node ${asked} was asked for; the local runner has only ${process.version}.`;
    job.log.annotate({ level: 'warning', message, path: undefined, line: undefined });
  }
  job.path.unshift(nodeDirectory);
  return { outputs: { 'node-version': process.version } };
}

const majorOf = (version: string): number => Number.parseInt(version, 10);

async function setupPython(_inputs: Readonly<Record<string, string>>, frame: Frame): Promise<StepResult> {
  const lines: string[] = [];
  const exitCode = await runProcess({
    command: 'python3',
    arguments: ['--version'],
    directory: frame.job.workspace,
    environment: environmentOf(frame),
    signal: frame.signal,
    ...enclosureOf(frame),
    onLine: (line) => lines.push(line),
  });
  if (exitCode !== 0) throw new Error(`python3 --version ended with ${exitCode}: install python3 on this machine.`);
  for (const line of lines) frame.job.log.write(line);
  return { outputs: { 'python-version': lines.join(' ').replace(/^Python /, '') } };
}
