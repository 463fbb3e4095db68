/** What every report says alike: whose it is, where it ran, what it cost. */
import { BudgetError, LoopError, ModelError, SandboxError } from '../../errors.ts';
import type { Brief, JobFailure, ModelCall, Report } from '../../loop/brief.ts';
import { countCalls, type JobEnvironment, SetupError } from '../workspace/environment.ts';

type Subject = Pick<Report, 'version' | 'loop' | 'entry' | 'candidate' | 'base'>;

/** Whose report it is: the App refuses one that speaks of another run. */
export function subjectOf(brief: Brief): Subject {
  return { version: 2, loop: brief.loop.id, entry: brief.entry, candidate: brief.candidate, base: brief.base };
}

type Costs = Subject & Pick<Report, 'sandbox' | 'missingWalls' | 'durationMs'> & { readonly calls: ModelCall[] };

/** Does the work of a job that asks a model, and adds what every such report says: its subject, its calls and its time. */
export async function reportedOn<Outcome>(
  brief: Brief,
  environment: JobEnvironment,
  work: (brief: Brief, environment: JobEnvironment) => Promise<Outcome>,
): Promise<Costs & Outcome> {
  const startedAt = environment.now();
  const { model, calls } = countCalls(environment.model);
  const outcome = await work(brief, { ...environment, model });
  return {
    ...subjectOf(brief),
    sandbox: environment.sandbox.kind,
    missingWalls: [...environment.sandbox.missing],
    calls: [...calls],
    durationMs: environment.now() - startedAt,
    ...outcome,
  };
}

/** An expected failure as the report says it. Expected are the errors that a port names; any other is a mistake of ours and is thrown on. */
export function failureOf(error: unknown, { log }: Pick<JobEnvironment, 'log'>): JobFailure {
  if (!(error instanceof LoopError)) throw error;
  log(`failed: ${error.message}`);
  return { cause: causeOf(error), message: error.message };
}

/** What has to change before another try makes sense. */
export function causeOf(error: unknown): JobFailure['cause'] {
  if (error instanceof ModelError) return 'model';
  if (error instanceof BudgetError) return 'budget';
  return error instanceof SandboxError || error instanceof SetupError ? 'setup' : 'work';
}
