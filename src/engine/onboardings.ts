/** Onboardings of repositories: who asks is noted, and each step is taken until the repository is ready, or somebody declines. */
import type { Logger } from 'pino';
import { onboard, tellRefused } from '../effects/onboard.ts';
import { preview } from '../effects/preview.ts';
import { lookedAtAgain, tellUntried } from '../effects/try-base.ts';
import { ConflictError, LoopError, RetryError } from '../errors.ts';
import { asked, type Onboarding, type OnboardingAsk, waiting } from '../onboarding/onboarding.ts';
import type { Ports, StoredOnboarding, Tries } from '../ports.ts';
import { type Meaning, meaningOf } from './failures.ts';

const MAX_SAVES = 20;

/** Notes that a repository is to be looked at; once for each `said`. */
export async function askForOnboarding(
  ask: OnboardingAsk,
  said: string,
  { store }: Pick<Ports, 'store'>,
): Promise<void> {
  await saved(ask.repositoryId, said, store, (before) => asked(before, ask));
}

/** Saves what `next` makes of it, until nobody else has saved meanwhile. */
async function saved(
  repositoryId: number,
  said: string,
  store: Ports['store'],
  next: (before: Onboarding | undefined) => Onboarding | undefined,
): Promise<void> {
  for (let saves = 1; saves <= MAX_SAVES; saves += 1) {
    const stored = await store.onboarding(repositoryId);
    const onboarding = next(stored?.onboarding);
    if (onboarding === undefined) return;
    try {
      await store.saveOnboarding({ onboarding, expectedVersion: stored?.version ?? 0, said });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new ConflictError(`the onboarding of ${repositoryId} was saved by others ${MAX_SAVES} times in a row`);
}

/** Notes that its pull request means something after all, though somebody had closed it before; once for each `said`. */
export async function askForClosed(repositoryId: number, said: string, { store }: Pick<Ports, 'store'>): Promise<void> {
  // By then somebody may have asked for it in another way.
  await saved(repositoryId, said, store, (before) =>
    before?.stage === 'declined' ? { ...before, stage: 'asked', unasked: 0 } : undefined,
  );
}

/** Notes that somebody wants to see what would be asked about an issue; once for each `said`. */
export async function askForPreview(
  repositoryId: number,
  said: string,
  { store }: Pick<Ports, 'store'>,
): Promise<void> {
  await saved(repositoryId, said, store, (before) => before && { ...before, preview: 'asked' });
}

/** Takes the step of an onboarding that is due. @throws {RetryError} where trying again may help. */
export async function workOnOnboarding(
  repositoryId: number,
  { ports, tries, log }: { readonly ports: Ports; readonly tries: Tries; readonly log: Logger },
): Promise<void> {
  const stored = await ports.store.onboarding(repositoryId);
  if (stored === undefined) return;
  const { onboarding, version } = stored;
  if (onboarding.preview !== undefined) return showPreview(stored, ports, log);
  const attempt = tries.of === stepNameOf(onboarding) ? tries.attempt : 1;
  const next = await onboard(onboarding, ports, attempt).catch((error: unknown) =>
    afterFailure(error, { onboarding, ports, tries, log }),
  );
  if (next !== onboarding) await ports.store.saveOnboarding({ onboarding: next, expectedVersion: version });
}

/** Forgotten before it is made: a model that is paid is asked once for a press, and where that comes to nothing somebody presses again. */
async function showPreview({ onboarding, version }: StoredOnboarding, ports: Ports, log: Logger): Promise<void> {
  const { preview: _, ...next } = onboarding;
  await ports.store.saveOnboarding({ onboarding: next, expectedVersion: version });
  await preview(next, ports).catch((error: unknown) => {
    if (!(error instanceof LoopError)) throw error;
    log.warn(`the preview for ${next.owner}/${next.repo} came to nothing: ${error.message}`);
  });
  // A step that came due meanwhile may have been taken for done with this one.
  await ports.queue.send({ type: 'onboard', repositoryId: next.repositoryId });
}

const stepNameOf = ({ trials, stage, run }: Onboarding): string => `${trials} ${stage} ${run?.id ?? ''}`;

/** Where GitHub has it now; a run that is awaited is waited for. */
async function relocated(onboarding: Onboarding, { github }: Ports): Promise<Onboarding> {
  const place = await github.locate(onboarding);
  // At the same place the same step would come to the same, again and again.
  const isElsewhere = place !== undefined && (place.owner !== onboarding.owner || place.repo !== onboarding.repo);
  if (!isElsewhere) return waiting(onboarding);
  return { ...onboarding, ...place, stage: onboarding.stage === 'trying' ? 'trying' : 'asked' };
}

interface Failed {
  readonly onboarding: Onboarding;
  readonly ports: Ports;
  readonly tries: Tries;
  readonly log: Logger;
}

async function afterFailure(error: unknown, failed: Failed): Promise<Onboarding> {
  const { onboarding, ports, log } = failed;
  const meaning = meaningFor(error, failed);
  switch (meaning.means) {
    case 'relocated':
      return relocated(onboarding, ports);
    case 'dropped':
    case 'refused': {
      log.warn(`${nameOf(onboarding)} waits: ${meaning.reason}`);
      const tell = onboarding.stage === 'trying' ? tellUntried : tellRefused;
      return tell(onboarding, meaning.reason, ports).catch((refusal: unknown) => {
        if (!(refusal instanceof LoopError)) throw refusal;
        // Who is away, or takes no more for now, is told later.
        meaningFor(refusal, failed);
        log.warn(`and it could not be told: ${refusal.message}`);
        return onboarding.stage === 'trying' ? lookedAtAgain(onboarding) : waiting(onboarding);
      });
    }
  }
}

const nameOf = ({ owner, repo }: Onboarding): string => `the onboarding of ${owner}/${repo}`;

/** @throws {RetryError} where another try may help. */
function meaningFor(error: unknown, { onboarding, tries }: Failed): Exclude<Meaning, { readonly means: 'again' }> {
  const of = stepNameOf(onboarding);
  const meaning = meaningOf(error, 'dispatch', { failed: tries.of === of ? tries.failed : {} });
  if (meaning.means !== 'again') return meaning;
  throw new RetryError(nameOf(onboarding), error, { kind: meaning.kind, seconds: meaning.seconds, of });
}
