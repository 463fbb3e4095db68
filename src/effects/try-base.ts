/** The trial of a base: its run is dispatched, its report taken over, the model asked one question, and what they came to told. */
import { unsetStart } from '../context/served.ts';
import { setupAt } from '../context/setup-gaps.ts';
import { ArtifactError, GoneError, WriteRefusedError } from '../errors.ts';
import { type EnvironmentFinding, type EnvironmentPlace, environmentFinding } from '../onboarding/environment.ts';
import { modelVerdict } from '../onboarding/model.ts';
import { MOST_TRIALS, type Onboarding, waiting } from '../onboarding/onboarding.ts';
import { trialReport as reportSchema, type TrialBrief, type TrialReport } from '../onboarding/trial.ts';
import { isReady, type TrialVerdict, trialVerdict } from '../onboarding/verdict.ts';
import type { Ports } from '../ports.ts';
import { type ToldModel, trialCheck, tryingCheck, untriedCheck, untriedText } from '../render/setup-check.ts';
import { trialComment } from '../render/setup-pull.ts';
import { CONFIG_PATH, JOB_ENVIRONMENT, type RepositoryConfig, WORKFLOWS } from '../settings/config.ts';
import { briefOf, deliveredBy, readReport, untilOf } from './verify-run.ts';

const OUTPUT_BYTES = 1024 * 1024;

export type OnboardingWorld = Pick<
  Ports,
  'github' | 'workspace' | 'gateway' | 'clock' | 'modelFacts' | 'askModel' | 'runsOn'
>;

/** Tells why the base could not be tried. */
export async function tellUntried(
  onboarding: Onboarding,
  reason: string,
  { github }: Pick<OnboardingWorld, 'github'>,
): Promise<Onboarding> {
  const { base, pull } = onboarding;
  if (base !== undefined) {
    await github.checks(onboarding, [untriedCheck(onboarding, base, reason)]);
    if (pull !== undefined) await tellOn(onboarding, pull, untriedText(reason), github);
  }
  return lookedAtAgain(onboarding);
}

/** The base may have moved while it was tried; where it has not, nothing more happens. */
export function lookedAtAgain(onboarding: Onboarding): Onboarding {
  return { ...waiting(onboarding), stage: 'asked' };
}

/** One comment on the pull request says how it stands. The check says it too: where a conversation is locked, or gone, that is enough. */
export async function tellOn(
  onboarding: Onboarding,
  pull: number,
  body: string,
  { comment }: Pick<OnboardingWorld['github'], 'comment'>,
): Promise<void> {
  try {
    await comment(onboarding, pull, { marker: 'setup', body });
  } catch (error) {
    if (!(error instanceof WriteRefusedError || error instanceof GoneError)) throw error;
  }
}

/** Who may use the environment of the jobs. @throws as the GitHub port does. */
export async function environmentOf(
  onboarding: Onboarding,
  place: EnvironmentPlace,
  github: OnboardingWorld['github'],
): Promise<EnvironmentFinding> {
  return environmentFinding(await github.environment(onboarding, JOB_ENVIRONMENT), place);
}

/** What a loop can begin without, and is better done: GitHub would let every branch have what an environment that jobs make gives, and a product that nobody can start stops its loops. */
export function adviceFor(
  { state, sentence, remedy }: EnvironmentFinding,
  config: RepositoryConfig | undefined,
): readonly string[] {
  const unset = config === undefined ? [] : unsetStart(config.commands);
  return [
    ...(state === 'ok' ? [] : [`Besides: ${sentence} ${remedy}`]),
    ...(unset.length === 0 ? [] : [`Besides: ${startNote(unset)}`]),
  ];
}

const startNote = (unset: readonly string[]): string =>
  `\`${CONFIG_PATH}\` does not name ${unset.map((key) => `\`${key}\``).join(' and ')}. A loop about a page or an HTTP interface stops until it does; for libraries and command lines nothing is missing.`;

export async function tryBase(onboarding: Onboarding, world: OnboardingWorld, attempt: number): Promise<Onboarding> {
  const { github, workspace, gateway } = world;
  const { repositoryId, owner, repo, trials: serial, base } = onboarding;
  if (base === undefined) return waiting(onboarding);
  const { server } = await github.repository(onboarding);
  const { config } = await setupAt({ repository: onboarding, sha: base, server, workspace });
  if (config === undefined) return waiting(onboarding);
  await github.checks(onboarding, [tryingCheck(onboarding, base)]);
  const { commands, limits } = briefOf(config);
  const brief: TrialBrief = {
    ...{ kind: 'trial', version: 1, repositoryId, serial, base, commands },
    limits: { ...limits, outputBytes: OUTPUT_BYTES },
  };
  const inputs = {
    loop: `${owner}/${repo}#setup`,
    entry: String(serial),
    phase: 'TRIAL',
    ...{ candidate: base, base, job: gateway.jobDigest, brief: await gateway.publish(JSON.stringify(brief)) },
    app: gateway.url,
  };
  const id = await github.dispatch(onboarding, WORKFLOWS.verify, inputs, attempt);
  return {
    ...onboarding,
    run: { id, until: untilOf(config, world, 2 * limits.commandTimeoutMs + 3 * limits.suiteTimeoutMs) },
  };
}

export async function finishTrial(
  onboarding: Onboarding,
  awaited: NonNullable<Onboarding['run']>,
  world: OnboardingWorld,
): Promise<Onboarding> {
  const { github, gateway } = world;
  const delivered = await deliveredBy(onboarding, { ...awaited, purpose: 'the trial of the base' }, world);
  if (delivered === undefined) return onboarding;
  if ('reason' in delivered)
    return delivered.isCancelled === true && onboarding.unasked < MOST_TRIALS
      ? triedAnew(onboarding)
      : tellUntried(onboarding, delivered.reason + remedyFor(delivered.reason, gateway.url), world);
  const { steps, failure, sandbox } = reportOf(delivered.report, onboarding);
  if (steps === null) return tellUntried(onboarding, failure ?? 'The job says nothing of what kept it.', world);
  const { base = '', pull } = onboarding;
  const repository = await github.repository(onboarding);
  const site = { repository: onboarding, sha: base, server: repository.server, workspace: world.workspace };
  const { config } = await setupAt(site);
  const environment = await environmentOf(onboarding, repository, github);
  // Closed since the base was looked at: the next look says so, and no loop can begin however the trial went.
  if (environment.bars === true) return lookedAtAgain(onboarding);
  const advice = adviceFor(environment, config);
  // Last, so that a look at GitHub that fails lets nothing be paid twice.
  const model = await toldModel(world);
  const told = { verdict: trialVerdict(steps), model, steps, sandbox, advice, again: againText(onboarding) };
  await github.checks(onboarding, [trialCheck(onboarding, base, told)]);
  if (pull !== undefined) await tellOn(onboarding, pull, trialComment(told), github);
  const judged = judgedBy(told.verdict, onboarding, base);
  return isReady(told.verdict, model?.verdict) ? { ...waiting(judged), stage: 'ready' } : lookedAtAgain(judged);
}

/** Remembers whether a loop may start on the base. */
function judgedBy({ isGreen, title, remedy }: TrialVerdict, before: Onboarding, base: string): Onboarding {
  const { red: _, ...onboarding } = before;
  return isGreen ? onboarding : { ...onboarding, red: { base, says: `${title}. ${remedy}` } };
}

/** A machine that was shut down says nothing of the base. */
function triedAnew(onboarding: Onboarding): Onboarding {
  const { trials, unasked } = onboarding;
  return { ...waiting(onboarding), stage: 'trying', trials: trials + 1, unasked: unasked + 1 };
}

/** Undefined where its answers are authored. */
async function toldModel({
  modelFacts,
  askModel,
}: Pick<OnboardingWorld, 'modelFacts' | 'askModel'>): Promise<ToldModel | undefined> {
  return askModel && { name: modelFacts.name, verdict: modelVerdict(await askModel()) };
}

function againText({ unasked }: Onboarding): string {
  return unasked >= MOST_TRIALS
    ? `It was tried ${MOST_TRIALS} times; the button **Re-run** of this check tries it again.`
    : 'It is tried again when it moves.';
}

/** The job is the App's own file, so that a runner which does not reach the App has nothing to run. */
function remedyFor(reason: string, url: string): string {
  return reason.includes(`${url}/`)
    ? ` The runner did not get its job from the App: see that runners reach ${url}, or set \`PUBLIC_URL\` to an address that they reach.`
    : '';
}

/** @throws {ArtifactError} when it is no report, or speaks of another trial. */
function reportOf(value: unknown, { base, trials }: Onboarding): TrialReport {
  const data = readReport(reportSchema, value, 'the trial');
  if (data.serial !== trials || data.base !== base)
    throw new ArtifactError(
      'The report speaks of another trial than the one that was begun. Nothing of it was taken over.',
    );
  if (data.steps !== null && data.sandbox === 'none')
    throw new ArtifactError('The report says that the base was tried without a sandbox. Nothing of it was taken over.');
  return data;
}
