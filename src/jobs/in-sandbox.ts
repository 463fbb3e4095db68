/** What a job without a model works with, opened for it and closed behind it: the sandbox, and a private copy of the history. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopError, SandboxError } from '../errors.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openRepository, type Repository } from '../trees/repository.ts';
import { egressTo, type JobVariables, preparedIn, programOf } from './run-job.ts';

/** A job that is told all it needs by its brief, and asks no model. */
export interface AskedJob<Brief> {
  readonly brief: Brief;
  readonly variables: JobVariables;
  /** Path of this job's own program. */
  readonly bundle: string;
  readonly log: (line: string) => void;
}

export interface Opened {
  readonly sandbox: Sandbox;
  /** What the set-up action has installed; undefined where there is none. */
  readonly prepared: string | undefined;
  readonly repository: Repository;
}

interface WithHosts {
  readonly commands: { readonly hosts?: readonly string[] | undefined };
}

/** @throws {SandboxError} where bubblewrap does not work: without a model nothing runs outside of it. */
export async function inSandbox<Result>(
  { brief, variables, bundle, log }: AskedJob<WithHosts>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const workspace = await realpath(variables.LOOPWRIGHT_WORKSPACE);
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-job-')));
  const egress = await egressTo(brief.commands.hosts ?? [], log);
  try {
    const prepared = await preparedIn(variables.RUNNER_TEMP);
    const places = { workspace, scratch, prepared, egress, readOnly: [programOf(bundle)] };
    const sandbox = await openSandbox({ ...places, scripted: false });
    log(`sandbox: ${sandbox.kind}`);
    for (const sentence of sandbox.missing) log(`sandbox: ${sentence}`);
    return await work({ sandbox, prepared, repository: await openRepository(workspace, scratch) });
  } finally {
    await egress?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Logs what broke in full, and gives the sentence that people are told. */
export function loggedFailure(error: unknown, log: (line: string) => void): string {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (error instanceof SandboxError || error instanceof LoopError) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `The job broke: ${why}. Its log has the details; report it.`;
}

/** Writes `report.json` where the workflow takes it from. */
export async function deliver(report: object, { LOOPWRIGHT_OUTPUT: output }: JobVariables): Promise<void> {
  await mkdir(output, { recursive: true });
  await writeFile(join(output, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
}
