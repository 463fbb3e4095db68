/** The onboarding of a repository, step by step: what is missing is proposed, what people bring is looked at, and the base is tried before anything is spent. */
import { type Gap, proposalFor, type Site, setupAt } from '../context/setup-gaps.ts';
import { ArtifactError } from '../errors.ts';
import { environmentFinding } from '../onboarding/environment.ts';
import { MOST_TRIALS, type Onboarding, SETUP_BRANCH } from '../onboarding/onboarding.ts';
import { trialReport as reportSchema, type TrialBrief, type TrialReport } from '../onboarding/trial.ts';
import { trialVerdict } from '../onboarding/verdict.ts';
import type { Ports } from '../ports.ts';
import {
  completeCheck,
  gapsCheck,
  type ShownGap,
  trialCheck,
  tryingCheck,
  untriedCheck,
  untriedText,
} from '../render/setup-check.ts';
import { gapsComment, SETUP_TITLE, setupBody, trialComment } from '../render/setup-pull.ts';
import { JOB_ENVIRONMENT, WORKFLOWS } from '../settings/config.ts';
import { briefOf, deliveredBy, readReport, untilOf } from './verify-run.ts';

const OUTPUT_BYTES = 1024 * 1024;
const HEADS = 'refs/heads/';

type World = Pick<Ports, 'github' | 'workspace' | 'gateway' | 'clock'>;

/** Takes the step that is due and gives the onboarding as it is then; the same where nothing is due. `attempt` counts the tries of the step, from 1. */
export async function onboard(onboarding: Onboarding, world: World, attempt: number): Promise<Onboarding> {
  switch (onboarding.stage) {
    case 'asked':
    case 'waiting':
      return look(onboarding, world);
    case 'trying':
      return onboarding.run === undefined
        ? tryBase(onboarding, world, attempt)
        : finish(onboarding, onboarding.run, world);
    case 'ready':
    case 'declined':
      return onboarding;
  }
}

/** Tells why the base could not be tried. */
export async function tellUntried(onboarding: Onboarding, reason: string, { github }: World): Promise<Onboarding> {
  const { base, pull, stage } = onboarding;
  if (stage !== 'trying' || base === undefined) return waiting(onboarding);
  await github.checks(onboarding, [untriedCheck(onboarding, base, reason)]);
  if (pull !== undefined) await tell(onboarding, pull, untriedText(reason), github);
  return waiting(onboarding);
}

function waiting({ run: _, ...onboarding }: Onboarding): Onboarding {
  return { ...onboarding, stage: 'waiting' };
}

const tell = (onboarding: Onboarding, pull: number, body: string, github: World['github']) =>
  github.comment(onboarding, pull, { marker: 'setup', body });

async function look(onboarding: Onboarding, world: World): Promise<Onboarding> {
  const { github, workspace } = world;
  const { defaultBranch, url, server } = await github.repository(onboarding);
  const trunk = await github.head(onboarding, `${HEADS}${defaultBranch}`);
  // Without a commit there is nothing to propose a change of; the first push tells.
  if (trunk === undefined) return waiting(onboarding);
  const site: Site = { repository: onboarding, sha: trunk, server, workspace };
  const { gaps } = await setupAt(site);
  if (gaps.length === 0) return toTry(onboarding, trunk);
  const place = { url, defaultBranch, site };
  return onboarding.pull === undefined
    ? propose(onboarding, gaps, place, world)
    : follow(onboarding, onboarding.pull, { gaps, ...place }, world);
}

/** A base that was tried already is tried again where somebody asks. */
function toTry(onboarding: Onboarding, base: string): Onboarding {
  const isAsked = onboarding.stage === 'asked';
  if (!isAsked && (onboarding.base === base || onboarding.unasked >= MOST_TRIALS)) return waiting(onboarding);
  const { trials, unasked } = onboarding;
  return { ...waiting(onboarding), stage: 'trying', base, trials: trials + 1, unasked: isAsked ? 0 : unasked + 1 };
}

interface Place {
  /** Of the repository, for people. */
  readonly url: string;
  readonly defaultBranch: string;
  /** The default branch. */
  readonly site: Site;
}

/** One commit on a branch of its own, and one pull request; what only people may write is linked from it. */
async function propose(
  onboarding: Onboarding,
  gaps: readonly Gap[],
  { url, defaultBranch, site }: Place,
  { github }: World,
): Promise<Onboarding> {
  const { changes, tests } = await proposalFor(site);
  // Where only people can mend what is left, the default branch says it.
  if (changes.length === 0) {
    await github.checks(onboarding, [gapsCheck(onboarding, site.sha, shownOn(gaps, url, defaultBranch))]);
    return waiting(onboarding);
  }
  await commitOn(onboarding, site, github);
  const left = shownOn(
    gaps.filter(({ text }) => text !== undefined),
    url,
    SETUP_BRANCH,
  );
  const { number } = await github.openPull(onboarding, {
    ...{ branch: SETUP_BRANCH, base: defaultBranch, title: SETUP_TITLE, isDraft: false },
    body: setupBody({ brought: changes, tests, left, defaultBranch }),
  });
  return follow({ ...onboarding, pull: number }, number, { gaps, url, defaultBranch, site }, { github });
}

/** On top of what is there: an earlier try may have left it, and people have changed it since. */
async function commitOn(onboarding: Onboarding, site: Site, github: World['github']): Promise<void> {
  const ref = `${HEADS}${SETUP_BRANCH}`;
  const at = await github.head(onboarding, ref);
  const parent = at ?? site.sha;
  const { changes } = await proposalFor({ ...site, sha: parent });
  if (changes.length === 0) return;
  const files = changes.map(({ purpose: _, ...change }) => change);
  const { sha } = await github.commit(onboarding, { ref, parent, changes: files, message: SETUP_TITLE, known: { at } });
  await github.moveRef(onboarding, ref, sha, { at });
}

/** What the pull request comes to: it is looked at where it is open, the default branch where it was merged. */
async function follow(
  onboarding: Onboarding,
  pull: number,
  { gaps, url, defaultBranch, site }: Place & { readonly gaps: readonly Gap[] },
  { github }: Pick<World, 'github'>,
): Promise<Onboarding> {
  const { state, merged, headSha } = await github.pull(onboarding, pull);
  if (state === 'closed' && !merged) return { ...waiting(onboarding), stage: 'declined' };
  if (state === 'open') {
    // The branch is ahead of what the pull request says of it.
    const sha = (await github.head(onboarding, `${HEADS}${SETUP_BRANCH}`)) ?? headSha;
    const { gaps: left } = await setupAt({ ...site, sha });
    const shown = shownOn(left, url, SETUP_BRANCH);
    const told =
      left.length === 0
        ? completeCheck(onboarding, sha, await adviceFor(onboarding, { url, defaultBranch }, github))
        : gapsCheck(onboarding, sha, shown);
    await github.checks(onboarding, [told]);
    return waiting(onboarding);
  }
  const shown = shownOn(gaps, url, defaultBranch);
  await github.checks(onboarding, [gapsCheck(onboarding, site.sha, shown)]);
  await tell(onboarding, pull, gapsComment(shown), github);
  return waiting(onboarding);
}

/** Jobs run without it too, but GitHub would then let every branch have what the environment gives. */
async function adviceFor(
  onboarding: Onboarding,
  place: Pick<Place, 'url' | 'defaultBranch'>,
  github: World['github'],
): Promise<readonly string[]> {
  const { state, sentence, remedy } = environmentFinding(await github.environment(onboarding, JOB_ENVIRONMENT), place);
  return state === 'ok' ? [] : [`Besides: ${sentence} ${remedy}`];
}

/** GitHub's page for a new file, filled in: what is committed there comes from a person. */
function shownOn(gaps: readonly Gap[], url: string, branch: string): readonly ShownGap[] {
  return gaps.map(({ path, sentence, text }) => ({
    sentence,
    link:
      text === undefined
        ? undefined
        : `${url}/new/${branch.split('/').map(encodeURIComponent).join('/')}?filename=${encodeURIComponent(path)}&value=${encodeForLink(text)}`,
  }));
}

/** Brackets would end a link in Markdown. */
function encodeForLink(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[()'!*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

async function tryBase(onboarding: Onboarding, world: World, attempt: number): Promise<Onboarding> {
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

async function finish(
  onboarding: Onboarding,
  awaited: NonNullable<Onboarding['run']>,
  world: World,
): Promise<Onboarding> {
  const { github, gateway } = world;
  const delivered = await deliveredBy(onboarding, { ...awaited, purpose: 'the trial of the base' }, world);
  if (delivered === undefined) return onboarding;
  if ('reason' in delivered) return tellUntried(onboarding, `${delivered.reason} ${oftenBy(gateway.url)}`, world);
  const { steps, failure, sandbox } = reportOf(delivered.report, onboarding);
  if (steps === null) return tellUntried(onboarding, failure ?? 'The job says nothing of what kept it.', world);
  const { base = '', pull } = onboarding;
  const advice = await adviceFor(onboarding, await github.repository(onboarding), github);
  const told = { verdict: trialVerdict(steps), steps, sandbox, advice };
  await github.checks(onboarding, [trialCheck(onboarding, base, told)]);
  if (pull !== undefined) await tell(onboarding, pull, trialComment(told), github);
  return { ...waiting(onboarding), stage: told.verdict.isGreen ? 'ready' : 'waiting' };
}

const oftenBy = (url: string): string =>
  `As often as not the runner could not reach ${url}, or the set-up action failed.`;

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
