/** Why no loop starts on a commit of a repository that the App has set up, in sentences that end with what to do. */
import type { RepositoryRef } from '../github/github-port.ts';
import { type Onboarding, SETUP_CHECK } from '../onboarding/onboarding.ts';
import type { Ports } from '../ports.ts';
import { CONFIG_PATH } from '../settings/config.ts';
import type { Server } from '../settings/setup-files.ts';
import { type Gap, setupAt } from './setup-gaps.ts';

interface Place {
  readonly sha: string;
  readonly server: Server;
}

/** Undefined where nothing speaks against it, or where nobody asked the App to set the repository up. What is wrong in the configuration is told by whoever reads it. */
export async function setUpProblem(
  ref: RepositoryRef,
  place: Place,
  { store, workspace }: Pick<Ports, 'workspace'> & { readonly store: Pick<Ports['store'], 'onboarding'> },
): Promise<string | undefined> {
  const onboarding = (await store.onboarding(ref.repositoryId))?.onboarding;
  if (onboarding === undefined) return undefined;
  return (await gapsProblem(ref, onboarding, { ...place, workspace })) ?? trialProblem(onboarding, place.sha);
}

/** Which pull request brings what is missing, while it is open; one sentence. */
export async function setUpPull(
  ref: RepositoryRef,
  { store, github }: Pick<Ports, 'store' | 'github'>,
): Promise<string | undefined> {
  const pull = (await store.onboarding(ref.repositoryId))?.onboarding.pull;
  if (pull === undefined || (await github.pull(ref, pull)).state !== 'open') return undefined;
  return `Pull request #${pull} brings it; merge that first.`;
}

/** Files that were taken away or changed since they were looked at: jobs run as the default branch says. */
async function gapsProblem(
  repository: RepositoryRef,
  onboarding: Onboarding,
  site: Place & Pick<Ports, 'workspace'>,
): Promise<string | undefined> {
  const setUp = await setupAt({ repository, ...site });
  const gaps = setUp.gaps.filter(({ path }) => path !== CONFIG_PATH);
  if (gaps.length === 0) return undefined;
  const told = gaps.map(({ sentence }) => sentence).join(' ');
  return `No loop starts on ${short(site.sha)}: ${told}${broughtBy(onboarding, gaps)} Set the label again when it is mended.`;
}

function broughtBy({ pull, stage, unneeded }: Onboarding, gaps: readonly Gap[]): string {
  if (!gaps.some(({ text }) => text !== undefined)) return '';
  if (pull !== undefined && stage === 'declined')
    return ` Pull request #${pull}, which was closed, says how to add what is missing; reopen it.`;
  const isAwaited = pull !== undefined && stage === 'waiting' && unneeded !== true;
  return isAwaited ? ` Pull request #${pull} says how to add what is missing.` : '';
}

/** Until the repository was seen to be ready, its check is red or on its way, and says that no loop starts. What comes on the base after that BUILD looks at. */
function trialProblem({ stage, base, red }: Onboarding, sha: string): string | undefined {
  if (stage === 'ready') return undefined;
  if (stage === 'trying' && base === sha)
    return `${short(sha)} is being tried: installed, built, tested twice. Set the label again when its check \`${SETUP_CHECK}\` is green.`;
  return red?.base === sha
    ? `No loop starts on ${short(sha)}, which was tried. ${red.says} Its check \`${SETUP_CHECK}\` shows what came of it, and **Re-run** there tries it again. Set the label again when it is green.`
    : `No loop starts on ${short(sha)} yet: the repository's check \`${SETUP_CHECK}\` is not green${lastAt(base, sha)}. It says what is in the way, and **Re-run** there looks again. Set the label again when it is green.`;
}

/** A commit that is not tried by itself has no check of its own. */
const lastAt = (base: string | undefined, sha: string): string =>
  base === undefined || base === sha ? '' : ` (the commit tried last is ${short(base)})`;

const short = (sha: string): string => `\`${sha.slice(0, 7)}\``;
