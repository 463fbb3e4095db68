/** Tries the base of a repository in a workflow run, as its loops will use it: without a model, and before anything is spent on it. */
import { type TrialBrief, type TrialReport, type TrialStep, trialReport } from '../../onboarding/trial.ts';
import { type AskedJob, deliver, inSandbox, loggedFailure } from '../in-sandbox.ts';
import { trialSteps } from './trial-steps.ts';

/** Writes the report, whatever becomes of the trial: a run without one is told as nothing but its log. */
export async function tryBaseAlone(job: AskedJob<TrialBrief>): Promise<void> {
  const { brief, variables, log } = job;
  const { serial, base } = brief;
  const told = await toldOf(job).catch((error: unknown): Told => {
    return { sandbox: 'none', steps: null, failure: loggedFailure(error, log) };
  });
  await deliver(trialReport.parse({ kind: 'trial', version: 1, serial, base, ...told }), variables);
  log(`trial: ${told.steps === null ? told.failure : summaryOf(told.steps)}`);
}

type Told = Pick<TrialReport, 'sandbox' | 'steps' | 'failure'>;

function toldOf({ brief, log, ...job }: AskedJob<TrialBrief>): Promise<Told> {
  return inSandbox({ brief, log, ...job }, async ({ sandbox, repository }) => {
    const steps = [...(await trialSteps({ brief, sandbox, repository, log }))];
    return { sandbox: sandbox.kind, steps, failure: null };
  });
}

function summaryOf(steps: readonly TrialStep[]): string {
  const failed = steps.filter(({ outcome }) => outcome === 'failed').map(({ step }) => step);
  return failed.length === 0 ? 'nothing failed' : `${failed.join(', ')} failed`;
}
