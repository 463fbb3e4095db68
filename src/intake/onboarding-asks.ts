/** What webhooks mean to the onboarding of a repository: the App was installed there, a file came, the pull request ended, a trial's run ended, somebody pressed the button. */
import { askForClosed, askForOnboarding, askForPreview } from '../engine/onboardings.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { reaches } from '../loop/people/commands.ts';
import { isPerson } from '../loop/terms.ts';
import { type Onboarding, PREVIEW_BUTTON, SETUP_BRANCH, SETUP_ID } from '../onboarding/onboarding.ts';
import type { Payload, PayloadName, PayloadOf } from './payloads.ts';
import { installedAt, saidOf } from './place.ts';
import { afterAMoment, roleOf, type Taking } from './reader.ts';
import { isOwnRun } from './run-readers.ts';

type Reader<Name extends PayloadName> = (payload: PayloadOf<Name>, taking: Taking) => Promise<void>;

const READERS: { readonly [Name in PayloadName]?: Reader<Name> } = {
  'installation.created': ({ installation, repositories }, taking) =>
    installed(installedAt(installation.id, repositories ?? []), taking),
  'installation_repositories.added': ({ installation, repositories_added }, taking) =>
    installed(installedAt(installation.id, repositories_added), taking),
  async push(payload, taking) {
    const { ref, after, repository } = payload;
    const isLookedAt = ref === `refs/heads/${repository.default_branch}` || ref === `refs/heads/${SETUP_BRANCH}`;
    if (!isLookedAt || !(await awaits(repository.id, taking))) return;
    const head = await taking.ports.github.head(saidOf(payload), ref);
    if (head !== after) afterAMoment(`GitHub says that ${ref} is at ${head ?? 'no commit'}`, taking);
    await wake(repository.id, isOpen, taking);
  },
  async 'pull_request.closed'(payload, taking) {
    const { pull_request, repository } = payload;
    const { number, merged } = pull_request;
    if (merged === true && (await wasDeclined(payload, taking)))
      return askForClosed(repository.id, `setup merged/${number}`, taking.ports);
    if ((await awaits(repository.id, taking))?.pull !== pull_request.number) return;
    const { state } = await taking.ports.github.pull(saidOf(payload), pull_request.number);
    if (state === 'open') afterAMoment(`GitHub says that #${pull_request.number} is open`, taking);
    await wake(repository.id, isOpen, taking);
  },
  async 'pull_request.reopened'(payload, taking) {
    const { repository, pull_request, sender } = payload;
    const { number } = pull_request;
    if (!isPerson(sender)) return;
    const isFollowed = (await awaits(repository.id, taking))?.pull === number;
    if (!isFollowed && !(await wasDeclined(payload, taking))) return;
    const { at, ports } = taking;
    const { state } = await ports.github.pull(saidOf(payload), number);
    if (state === 'closed') return afterAMoment(`GitHub says that #${number} is closed`, taking);
    if (isFollowed) return wake(repository.id, isOpen, taking);
    await askForClosed(repository.id, `setup reopened/${number}/${at}`, ports);
  },
  async 'check_run.rerequested'(payload, taking) {
    if (!(await isPressed(payload, taking))) return;
    const { at, ports } = taking;
    await askForOnboarding({ ...saidOf(payload), at }, `rerun/${payload.check_run.id ?? ''}/${at}`, ports);
  },
  async 'check_run.requested_action'(payload, taking) {
    const { repository, check_run, requested_action } = payload;
    if (requested_action?.identifier !== PREVIEW_BUTTON || !(await isPressed(payload, taking))) return;
    await askForPreview(repository.id, `preview/${check_run.id ?? ''}/${taking.at}`, taking.ports);
  },
  async 'workflow_run.completed'(payload, taking) {
    if (!isOwnRun(payload, taking.ports.self)) return;
    const { repository, workflow_run } = payload;
    await wake(repository.id, ({ run }) => run?.id === workflow_run.id, taking);
  },
};

/** Whether it is the pull request that somebody had closed. */
async function wasDeclined(
  { pull_request, repository }: PayloadOf<'pull_request.closed' | 'pull_request.reopened'>,
  { ports }: Taking,
): Promise<boolean> {
  const known = (await ports.store.onboarding(repository.id))?.onboarding;
  return known?.stage === 'declined' && known.pull === pull_request.number;
}

type Press = PayloadOf<'check_run.rerequested' | 'check_run.requested_action'>;

/** On a check of ours, by somebody who may write. */
async function isPressed(payload: Press, { ports }: Taking): Promise<boolean> {
  const { check_run, repository, sender } = payload;
  const [, repositoryId] = SETUP_ID.exec(check_run.external_id) ?? [];
  if (Number(repositoryId) !== repository.id || !isPerson(sender)) return false;
  return reaches(await roleOf(saidOf(payload), sender, ports), 'write');
}

/** Takes in what a delivery says of onboardings; repeating it is harmless. */
export async function takeInOnboardings(payload: Payload, taking: Taking): Promise<void> {
  await read(payload, taking);
}

function read<Name extends PayloadName>(payload: PayloadOf<Name>, taking: Taking): Promise<void> | undefined {
  const readers: { readonly [One in PayloadName]?: Reader<One> } = READERS;
  return readers[payload.name]?.(payload, taking);
}

/** Once for each installation: whoever closed the pull request is not asked again by the same one. */
async function installed(repositories: readonly RepositoryRef[], { at, ports }: Taking): Promise<void> {
  for (const ref of repositories)
    await askForOnboarding({ ...ref, at }, `installed/${ref.installationId}/${ref.repositoryId}`, ports);
}

/** Also where a step is under way, which may have looked before: then it is looked at once more. */
const isOpen = ({ stage }: Onboarding): boolean => stage !== 'ready' && stage !== 'declined';

/** The onboarding, where what people do means something to it. */
async function awaits(repositoryId: number, { ports: { store } }: Taking): Promise<Onboarding | undefined> {
  const stored = await store.onboarding(repositoryId);
  return stored !== undefined && isOpen(stored.onboarding) ? stored.onboarding : undefined;
}

async function wake(
  repositoryId: number,
  isMeant: (onboarding: Onboarding) => boolean,
  { ports: { store, queue } }: Taking,
): Promise<void> {
  const stored = await store.onboarding(repositoryId);
  if (stored !== undefined && isMeant(stored.onboarding)) await queue.send({ type: 'onboard', repositoryId });
}
