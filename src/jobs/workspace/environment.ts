/** What a job works with: places, the sandbox, the model and where its outputs go. */
import { BudgetError, LoopError, ModelError } from '../../errors.ts';
import type { Brief, ModelCall, SeedReport } from '../../loop/brief.ts';
import type { CallContext } from '../../loop/call-headers.ts';
import { leftAfter, type Purse } from '../../loop/costs.ts';
import type { Measurement } from '../../loop/measurement.ts';
import type { Model } from '../../ports.ts';
import type { CommandResult, Sandbox } from '../../sandbox/sandbox.ts';
import type { Parsers } from '../../syntax/parsers.ts';
import { suiteCommand } from '../../test-runs/test-run.ts';
import type { Repository } from '../../trees/repository.ts';
import type { RawStore } from '../report/raw.ts';

export interface JobEnvironment {
  /** The checked-out candidate with its history; generated code may write here. */
  readonly workspace: string;
  /** The sandbox may read it; working copies for judging are below it. */
  readonly scratch: string;
  /** Becomes the artifact: the report, raw outputs and transcripts. */
  readonly output: string;
  /** The artifact of the job before this one; undefined when there is none. */
  readonly input: string | undefined;
  /** What an earlier step of the same job left for this one to go on with. */
  readonly draft?: SeedReport | undefined;
  readonly sandbox: Sandbox;
  /** What the set-up action has installed; undefined where there is none. */
  readonly prepared?: string | undefined;
  readonly model: Model;
  readonly raw: RawStore;
  /** Path of this job's own program, for what runs inside the sandbox. */
  readonly bundle: string;
  /** Reads code; loaded when it is first asked for. */
  readonly parsers: () => Promise<Parsers>;
  /** How often VERIFY runs the frozen tests on the head to see whether they are stable. */
  readonly flakinessRuns: number;
  readonly log: (line: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A job under way: what it was asked, what it works with, and the private copy of the history. */
export interface Bench {
  readonly brief: Brief;
  readonly environment: JobEnvironment;
  readonly repository: Repository;
  /** What the builder tried on frozen tests, by path; it grows as the job goes on. */
  readonly attempts: Map<string, Attempt>;
  /** Folders with the packages that lock files, or pip's requirements, name beside the base's, by what they are asked for. */
  readonly packages: Map<string, Promise<string>>;
}

/** What of a job commands of the repository are run with, and its packages fetched. */
export interface Installable extends Pick<Bench, 'repository' | 'packages'> {
  readonly brief: {
    readonly base: string;
    readonly commands: Pick<Brief['commands'], 'install'>;
    readonly limits: Pick<Brief['limits'], 'commandTimeoutMs' | 'outputBytes'>;
  };
  readonly environment: Pick<JobEnvironment, 'sandbox' | 'scratch' | 'prepared' | 'log'>;
}

/** It asked to write the file and was refused, or changed it by a command, and it was put back. */
export type Attempt = 'refused' | 'put back';

/** The job cannot do its work at all; the message becomes the report's failure. */
export class JobError extends LoopError {
  override name = 'JobError';
}

/** What the job stands on is missing or broken: no other candidate would do better, a person must set it right. */
export class SetupError extends JobError {
  override name = 'SetupError';
}

export interface ShellOptions {
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a shell command of the repository in a tree, in the sandbox, with the brief's limits. */
export function runShell(
  { brief, environment }: Pick<Installable, 'brief' | 'environment'>,
  command: string,
  directory: string,
  { timeoutMs = brief.limits.commandTimeoutMs, env: own = {} }: ShellOptions = {},
): Promise<CommandResult> {
  const { outputBytes } = brief.limits;
  const env = { PYTHONDONTWRITEBYTECODE: '1', CI: 'true', ...own };
  return environment.sandbox.run({ argv: ['bash', '-c', command], directory, env, timeoutMs, outputBytes });
}

/** Runs the repository's own suite in a tree, in the folder that it names for tests. */
export function runSuite({ brief, environment }: Bench, directory: string): Promise<CommandResult> {
  const { test: command, directory: folder } = brief.commands;
  const { suiteTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  return suiteCommand({ sandbox: environment.sandbox, directory, folder, command, timeoutMs, outputBytes });
}

/** Who asks, as the model's headers say it. */
export function callContext(brief: Brief, call: Omit<CallContext, 'loop'>): CallContext {
  return { loop: brief.loop.id, ...call };
}

/** Makes a measurement and stores the output that it was read from. */
export async function measured(
  environment: JobEnvironment,
  reading: Omit<Measurement, 'raw'> & { readonly output: string },
): Promise<Measurement> {
  const { output, ...number } = reading;
  environment.log(`${number.name} = ${number.value}`);
  return { ...number, raw: await environment.raw(output) };
}

/** A model that remembers every call it made, failed ones included, and makes none that the purse cannot pay. */
export function countCalls(
  model: Model,
  purse?: Purse | undefined,
): { readonly model: Model; readonly calls: readonly ModelCall[] } {
  const calls: ModelCall[] = [];
  const count = async <Result extends { readonly calls: readonly ModelCall[] }>(asked: Promise<Result>) => {
    try {
      const result = await asked;
      calls.push(...result.calls);
      return result;
    } catch (error) {
      if (error instanceof ModelError || error instanceof BudgetError) calls.push(...error.calls);
      throw error;
    }
  };
  return {
    model: {
      answer: (request) => count(model.answer({ ...request, purse: request.purse ?? leftAfter(purse, calls) })),
      turn: (request) => count(model.turn({ ...request, purse: request.purse ?? leftAfter(purse, calls) })),
    },
    calls,
  };
}
