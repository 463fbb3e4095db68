/** What people would be asked about an issue that is there already: one call to the model, which somebody asks for, and nothing else happens. */
import { startingFacts } from '../context/start.ts';
import { questionsFor } from '../drafting/discover.ts';
import { BudgetError, ModelError } from '../errors.ts';
import { costUsd } from '../loop/costs.ts';
import { decide } from '../loop/decide.ts';
import { newLoop } from '../loop/loop.ts';
import { isStarted, type StartedLoop } from '../loop/stages.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import type { Ports } from '../ports.ts';
import { noPreview, previewComment } from '../render/preview.ts';

/** Says it on the pull request that sets the repository up; each time in the same comment. */
export async function preview(onboarding: Onboarding, ports: Ports): Promise<void> {
  const { pull } = onboarding;
  if (pull === undefined) return;
  const body = await previewed(onboarding, ports);
  await ports.github.comment(onboarding, pull, { marker: 'preview', body });
}

async function previewed(onboarding: Onboarding, ports: Ports): Promise<string> {
  const issue = await ports.github.newestIssue(onboarding);
  if (issue === undefined) return noPreview('There is no open issue yet.');
  const loop = await imagined(onboarding, issue, ports);
  if (loop === undefined) return noPreview(`No loop could start on #${issue.number}.`);
  const { price } = ports.modelFacts;
  try {
    const { questions, calls } = await questionsFor({ loop, ports });
    const usd = price === undefined ? undefined : costUsd(price, calls);
    return previewComment({ issue, questions, usd, model: ports.modelFacts });
  } catch (error) {
    if (error instanceof ModelError || error instanceof BudgetError) return noPreview(error.message);
    throw error;
  }
}

type Issue = NonNullable<Awaited<ReturnType<Ports['github']['newestIssue']>>>;

/** The loop that the label would start, which nobody stores. A configuration that is missing keeps none from being imagined. */
async function imagined(
  { installationId, repositoryId, owner, repo }: Onboarding,
  issue: Issue,
  ports: Ports,
): Promise<StartedLoop | undefined> {
  const ref = { installationId, repositoryId, owner, repo, issue: issue.number, n: 1 };
  const { refusal: _, ...facts } = await startingFacts(ref, issue, ports);
  const at = ports.clock.now().toISOString();
  const { loop } = decide(newLoop(ref), { type: 'labelled', at, by: issue.user, role: 'admin', ...facts });
  return isStarted(loop) ? loop : undefined;
}
