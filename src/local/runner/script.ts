/** Performs a `run:` step: the script in its shell, and the command files that it may write. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { interpolate } from '../actions/workflow-expression.ts';
import type { WorkflowStepDefinition } from '../actions/workflow-file.ts';
import { parseCommandFile, parseEnvironmentFile } from './command-file.ts';
import { enclosureOf, environmentOf, type Frame, type StepResult, scopeOf, temporaryDirectoryOf } from './frame.ts';
import { insideJob, readInside } from './inside.ts';
import { runProcess } from './process.ts';

/**
 * Runs the step's script; its outputs count even when it fails, and the job's environment and path grow by what it wrote.
 * @throws Error with the sentence for the log when the script cannot run.
 */
export async function performScript(
  step: WorkflowStepDefinition,
  stepEnvironment: Readonly<Record<string, string>>,
  frame: Frame,
): Promise<StepResult> {
  const scope = scopeOf(frame, stepEnvironment);
  const [command = 'bash', ...flags] = shellOf(step, frame);
  const directory = step['working-directory'] ?? frame.job.runDefaults['working-directory'] ?? '.';
  const text = interpolate(step.run ?? '', scope);
  const files = await createCommandFiles(frame);
  const script = join(temporaryDirectoryOf(frame.job), `${randomUUID()}.${command === 'python3' ? 'py' : 'sh'}`);
  await writeFile(await insideJob(frame.job, script), text);
  announce(text, [command, ...flags, script].join(' '), frame);
  const exitCode = await runProcess({
    command,
    arguments: [...flags, script],
    directory: await insideJob(frame.job, resolve(frame.job.workspace, interpolate(directory, scope))),
    environment: { ...environmentOf(frame, stepEnvironment), ...files },
    signal: frame.signal,
    ...enclosureOf(frame),
    onLine: frame.job.log.output,
  });
  const outputs = await takeCommandFiles(files, frame);
  return { outputs, failure: exitCode === 0 ? undefined : `Process completed with exit code ${exitCode}.` };
}

/** Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell */
const shells: Readonly<Record<string, readonly string[]>> = {
  default: ['bash', '-e'],
  bash: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
  sh: ['sh', '-e'],
  python: ['python3'],
};

function shellOf(step: WorkflowStepDefinition, frame: Frame): readonly string[] {
  const name = step.shell ?? frame.job.runDefaults.shell ?? 'default';
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined;
  if (shell === undefined) throw new Error(`The local runner knows the shells bash, sh and python, not "${name}".`);
  return shell;
}

function announce(text: string, commandLine: string, frame: Frame): void {
  const { log } = frame.job;
  const lines = text.trimEnd().split('\n');
  log.write(`##[group]Run ${lines[0] ?? ''}`);
  for (const line of lines) log.write(line);
  log.write(`shell: ${commandLine}`);
  log.write('##[endgroup]');
}

interface CommandFiles extends Readonly<Record<string, string>> {
  readonly GITHUB_OUTPUT: string;
  readonly GITHUB_ENV: string;
  readonly GITHUB_PATH: string;
  readonly GITHUB_STEP_SUMMARY: string;
}

async function createCommandFiles(frame: Frame): Promise<CommandFiles> {
  const directory = join(temporaryDirectoryOf(frame.job), `commands-${randomUUID()}`);
  await mkdir(await insideJob(frame.job, directory), { recursive: true });
  const files = {
    GITHUB_OUTPUT: join(directory, 'output'),
    GITHUB_ENV: join(directory, 'environment'),
    GITHUB_PATH: join(directory, 'path'),
    GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
  };
  await Promise.all(Object.values(files).map((file) => writeFile(file, '')));
  return files;
}

async function takeCommandFiles(files: CommandFiles, frame: Frame): Promise<Record<string, string>> {
  const { job, run } = frame;
  const read = async (file: string): Promise<string> => (await readInside(job, file)).toString('utf8');
  Object.assign(job.environment, parseEnvironmentFile(await read(files.GITHUB_ENV)));
  const added = (await read(files.GITHUB_PATH)).split(/\r?\n/).filter((line) => line !== '');
  job.path.unshift(...added.toReversed());
  const summary = await read(files.GITHUB_STEP_SUMMARY);
  if (summary !== '') await run.files.addSummary(job.id, `${job.log.redact(summary)}\n`);
  return parseCommandFile(await read(files.GITHUB_OUTPUT));
}
