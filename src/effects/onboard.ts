/** The onboarding of a repository, step by step: what is missing is proposed, what people bring is looked at, and the base is tried before anything is spent. */
import { type Gap, proposalFor, type Site, setupAt } from '../context/setup-gaps.ts';
import type { EnvironmentFinding } from '../onboarding/environment.ts';
import { newFileLink } from '../onboarding/new-file-link.ts';
import { MOST_TRIALS, type Onboarding, SETUP_BRANCH, waiting } from '../onboarding/onboarding.ts';
import { completeCheck, gapsCheck, refusedCheck, type ShownGap, unneededCheck } from '../render/setup-check.ts';
import { gapsComment, SETUP_TITLE, setupBody } from '../render/setup-pull.ts';
import { BRANCH_PREFIX, CONFIG_PATH } from '../settings/config.ts';
import { adviceFor, environmentOf, finishTrial, tellOn, tryBase, type OnboardingWorld as World } from './try-base.ts';

const HEADS = 'refs/heads/';
const SETUP_REF = `${HEADS}${SETUP_BRANCH}`;

/** Takes the step that is due and gives the onboarding as it is then; the same where nothing is due. `attempt` counts the tries of the step, from 1. */
export async function onboard(onboarding: Onboarding, world: World, attempt: number): Promise<Onboarding> {
  switch (onboarding.stage) {
    case 'asked':
    case 'waiting':
      return look(onboarding, world);
    case 'trying':
      return onboarding.run === undefined
        ? tryBase(onboarding, world, attempt)
        : finishTrial(onboarding, onboarding.run, world);
    case 'ready':
    case 'declined':
      return onboarding;
  }
}

async function look(onboarding: Onboarding, world: World): Promise<Onboarding> {
  const { github, workspace, runsOn } = world;
  const { defaultBranch, url, server } = await github.repository(onboarding);
  const trunk = await github.head(onboarding, `${HEADS}${defaultBranch}`);
  // Without a commit there is nothing to propose a change of; the first push tells.
  if (trunk === undefined) return waiting(onboarding);
  const site: Site = { repository: onboarding, sha: trunk, server, workspace, runsOn };
  const problem = await nameProblem(onboarding, defaultBranch, github);
  if (problem !== undefined) {
    await github.checks(onboarding, [gapsCheck(onboarding, trunk, [{ sentence: problem }])]);
    return waiting(onboarding);
  }
  const { gaps } = await setupAt(site);
  const environment = await environmentOf(onboarding, { url, defaultBranch }, github);
  if (gaps.length === 0) return whole(onboarding, { trunk, environment }, world);
  const place = { url, defaultBranch, site, environment };
  return onboarding.pull === undefined
    ? propose(onboarding, gaps, place, world)
    : follow(onboarding, onboarding.pull, { gaps, ...place }, world);
}

/** What belongs to the App begins with its prefix: a default branch with it would be written, and a branch that is called as the folder leaves no room. */
async function nameProblem(
  onboarding: Onboarding,
  defaultBranch: string,
  github: World['github'],
): Promise<string | undefined> {
  if (defaultBranch.startsWith(BRANCH_PREFIX))
    return `What begins with \`${BRANCH_PREFIX}\` belongs to the App, and the default branch does; rename it.`;
  const folder = BRANCH_PREFIX.replace(/\/$/, '');
  return (await github.head(onboarding, `${HEADS}${folder}`)) === undefined
    ? undefined
    : `There is a branch \`${folder}\`, so git can have none of the App's below it; rename that branch.`;
}

/** Nothing is missing on the default branch: an open pull request says so, and closing it declines nothing from here on. */
async function whole(
  onboarding: Onboarding,
  { trunk, environment }: { readonly trunk: string; readonly environment: EnvironmentFinding },
  { github }: World,
): Promise<Onboarding> {
  const { pull, base } = onboarding;
  const found = pull === undefined ? undefined : await github.pull(onboarding, pull);
  if (found?.state === 'open' && base !== trunk)
    await github.checks(onboarding, [unneededCheck(onboarding, found.headSha)]);
  const next: Onboarding = found?.merged === false ? { ...onboarding, unneeded: true } : onboarding;
  const bars = barIn(environment);
  if (bars.length === 0) return toTry(next, trunk);
  // No pull request brings a setting.
  await github.checks(next, [gapsCheck(next, trunk, bars)]);
  if (pull !== undefined && found?.merged === true) await tellOn(next, pull, gapsComment(bars), github);
  return waiting(next);
}

/** A base that was tried already is tried again where somebody asks: then it is not known any more. */
function toTry(onboarding: Onboarding, base: string): Onboarding {
  const { trials, unasked } = onboarding;
  if (onboarding.base === base || unasked >= MOST_TRIALS) return waiting(onboarding);
  return { ...waiting(onboarding), stage: 'trying', base, trials: trials + 1, unasked: unasked + 1 };
}

/** Says on the default branch why nothing could be proposed. @throws as the GitHub port does. */
export async function tellRefused(onboarding: Onboarding, reason: string, { github }: World): Promise<Onboarding> {
  const { defaultBranch } = await github.repository(onboarding);
  const trunk = await github.head(onboarding, `${HEADS}${defaultBranch}`);
  // What its trial came to stands there already, and says more.
  const isTold = trunk === undefined || onboarding.base === trunk;
  if (!isTold) await github.checks(onboarding, [refusedCheck(onboarding, trunk, reason)]);
  return waiting(onboarding);
}

interface Place {
  /** Of the repository, for people. */
  readonly url: string;
  readonly defaultBranch: string;
  /** The default branch. */
  readonly site: Site;
  readonly environment: EnvironmentFinding;
}

/** One commit on a branch of its own, and one pull request; what only people may write is linked from it. */
async function propose(
  onboarding: Onboarding,
  gaps: readonly Gap[],
  { url, defaultBranch, site, environment }: Place,
  world: World,
): Promise<Onboarding> {
  const { github } = world;
  const { changes, tests } = await proposalFor(site);
  const brought = new Set(changes.map(({ path }) => path));
  // Where it would bring nothing that is missing, the default branch says what is left for people.
  const brings = gaps.some(({ path, text }) => text !== undefined || brought.has(path));
  if (changes.length === 0 || !brings) {
    const shown = [...shownOn(gaps, url, defaultBranch), ...barIn(environment)];
    await github.checks(onboarding, [gapsCheck(onboarding, site.sha, shown)]);
    return waiting(onboarding);
  }
  const at = await github.head(onboarding, SETUP_REF);
  const branch = await ownBranch(onboarding, { site, at }, world);
  if (branch === 'taken') {
    await github.checks(onboarding, [gapsCheck(onboarding, site.sha, [{ sentence: TAKEN }])]);
    return waiting(onboarding);
  }
  // Saved before it is on a branch, so that a branch without it is known to be somebody's.
  if (branch === undefined) return { ...onboarding, stage: 'asked', branch: await committed(onboarding, site, world) };
  if (at === undefined) await github.moveRef(onboarding, SETUP_REF, branch.sha, { at });
  const left = [
    ...shownOn(
      gaps.filter(({ path }) => !brought.has(path)),
      url,
      SETUP_BRANCH,
    ),
    ...barIn(environment),
  ];
  const { number } = await github.openPull(onboarding, {
    ...{ branch: SETUP_BRANCH, base: defaultBranch, title: SETUP_TITLE },
    ...{ isDraft: false, keepsText: true },
    body: setupBody({ brought: changes, tests, left, defaultBranch }),
  });
  // Saved before anything else is tried: whoever closes it must be heard.
  return { ...onboarding, stage: 'asked', pull: number };
}

const TAKEN = `There is a branch \`${SETUP_BRANCH}\` that the App did not make; rename or delete it, then press **Re-run** on this check.`;

/** The App's own commit where it may be used; what people have put on top of it stays as it is. Undefined where there is none yet. */
async function ownBranch(
  { branch, ...onboarding }: Onboarding,
  { site, at }: { readonly site: Site; readonly at: string | undefined },
  { workspace }: World,
): Promise<Onboarding['branch'] | 'taken'> {
  if (at === undefined) return branch?.base === site.sha ? branch : undefined;
  if (branch === undefined) return 'taken';
  const isOurs = at === branch.sha || (await workspace.mergeBase(onboarding, branch.sha, at)) === branch.sha;
  return isOurs ? branch : 'taken';
}

async function committed(onboarding: Onboarding, site: Site, { github }: World) {
  const { changes } = await proposalFor(site);
  const { sha } = await github.commit(onboarding, {
    ...{ ref: SETUP_REF, parent: site.sha, message: SETUP_TITLE, known: { at: undefined } },
    changes: changes.map(({ purpose: _, ...change }) => change),
  });
  return { sha, base: site.sha };
}

/** What the pull request comes to: it is looked at where it is open, the default branch where it was merged. */
async function follow(
  onboarding: Onboarding,
  pull: number,
  { gaps, url, defaultBranch, site, environment }: Place & { readonly gaps: readonly Gap[] },
  { github }: Pick<World, 'github'>,
): Promise<Onboarding> {
  const { state, merged, headSha } = await github.pull(onboarding, pull);
  const onTrunk = [...shownOn(gaps, url, defaultBranch), ...barIn(environment)];
  if (isDeclined(onboarding, { state, merged })) return { ...waiting(onboarding), stage: 'declined' };
  if (state === 'open') {
    // The branch is ahead of what the pull request says of it.
    const sha = (await github.head(onboarding, SETUP_REF)) ?? headSha;
    const { gaps: left, config } = await setupAt({ ...site, sha });
    const shown = [...shownOn(left, url, SETUP_BRANCH), ...barIn(environment)];
    const told =
      shown.length === 0
        ? completeCheck(onboarding, sha, adviceFor(environment, config))
        : gapsCheck(onboarding, sha, shown);
    await github.checks(onboarding, [told]);
    // Where somebody sets the repository up in another way, it is looked for there.
    if ((await site.workspace.read(onboarding, site.sha, CONFIG_PATH)) !== undefined)
      await github.checks(onboarding, [gapsCheck(onboarding, site.sha, onTrunk)]);
    // From now on it does not say any more that it is unneeded.
    const { unneeded: _, ...asking } = onboarding;
    return waiting(asking);
  }
  // It may have been merged after the default branch was looked at: what is missing there is not missing any more.
  const trunk = await github.head(onboarding, `${HEADS}${defaultBranch}`);
  if (trunk !== site.sha) return { ...onboarding, stage: 'asked' };
  await github.checks(onboarding, [gapsCheck(onboarding, site.sha, onTrunk)]);
  if (merged) await tellOn(onboarding, pull, gapsComment(onTrunk), github);
  return waiting(onboarding);
}

/** Who closes it because it says that it is unneeded wants loops all the same. */
function isDeclined(
  { unneeded }: Onboarding,
  { state, merged }: Pick<Awaited<ReturnType<World['github']['pull']>>, 'state' | 'merged'>,
): boolean {
  return state === 'closed' && !merged && unneeded !== true;
}

/** What is missing beside the files of a commit. */
function barIn({ bars, sentence, remedy }: EnvironmentFinding): readonly ShownGap[] {
  return bars === true ? [{ sentence: `${sentence} ${remedy}` }] : [];
}

/** What a person adds comes with a link to GitHub's page for it. */
function shownOn(gaps: readonly Gap[], url: string, branch: string): readonly ShownGap[] {
  return gaps.map(({ path, sentence, text }) => ({
    sentence,
    link: text === undefined ? undefined : newFileLink({ url, branch, path, text }),
  }));
}
