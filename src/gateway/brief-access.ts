/** Whether a brief is still somebody's: it is handed out while the run that it was written for is awaited, and to nobody before or after. */
import { type Brief, brief } from '../loop/brief.ts';
import type { Loop } from '../loop/loop.ts';
import { type TrialBrief, trialBrief } from '../onboarding/trial.ts';
import type { Store } from '../ports.ts';
import { type ProofBrief, proofBrief } from '../proof/pull-proof.ts';

export type BriefStore = Pick<Store, 'load' | 'pullProof' | 'onboarding'>;

/** `text` where it is to be handed out, else the sentence that says why not; undefined where it is no brief. */
export async function accessTo(
  text: string,
  store: BriefStore,
): Promise<{ readonly text: string } | { readonly refusal: string } | undefined> {
  const value: unknown = JSON.parse(text);
  const { data: ofLoop } = brief.safeParse(value);
  if (ofLoop !== undefined) return (await isAwaited(ofLoop, store)) ? { text } : { refusal: overOf(ofLoop) };
  const { data: ofProof } = proofBrief.safeParse(value);
  if (ofProof !== undefined) return (await isAsked(ofProof, store)) ? { text } : { refusal: overOfProof(ofProof) };
  const { data: ofTrial } = trialBrief.safeParse(value);
  if (ofTrial === undefined) return undefined;
  return (await isTried(ofTrial, store)) ? { text } : { refusal: overOfTrial(ofTrial) };
}

function overOf({ loop, entry, phase }: Brief): string {
  return `This brief is for the ${phase} run of entry ${entry} of ${loop.id}, which is not awaited any more; a run that is started again is not the one that was dispatched, so say \`/rerun\` there instead.`;
}

function overOfProof({ pull, serial }: ProofBrief): string {
  return `This brief is for proof ${serial} of pull request ${pull}, which is not awaited any more; ask for another by \`/prove\`.`;
}

function overOfTrial({ serial, base }: TrialBrief): string {
  return `This brief is for trial ${serial} of the base ${base.slice(0, 7)}, which is not awaited any more; press **Re-run** on the check \`loopwright / setup\` for another.`;
}

/** A paused loop's run goes on, and what it delivers is held. */
const ALIVE: ReadonlySet<Loop['status']> = new Set(['working', 'paused']);

/** Those of before say not for whom they are: a run that waited over an upgrade takes its own by the name that nobody else knows. */
async function isAwaited({ key, entry }: Brief, store: BriefStore): Promise<boolean> {
  if (key === undefined) return true;
  const loop = (await store.load(key))?.loop;
  if (loop === undefined || !ALIVE.has(loop.status)) return false;
  // A runner may be faster than the answer that tells the App of its run.
  const isDispatching = loop.pending.some((effect) => effect.type === 'dispatch' && effect.entry === entry);
  return isDispatching || loop.built.run?.entry === entry;
}

async function isAsked({ repositoryId, pull, serial }: ProofBrief, store: BriefStore): Promise<boolean> {
  if (repositoryId === undefined) return true;
  const proof = (await store.pullProof(repositoryId, pull))?.proof;
  return proof !== undefined && proof.serial === serial && proof.stage !== 'ended';
}

async function isTried({ repositoryId, serial, base }: TrialBrief, store: BriefStore): Promise<boolean> {
  const onboarding = (await store.onboarding(repositoryId))?.onboarding;
  return onboarding?.stage === 'trying' && onboarding.trials === serial && onboarding.base === base;
}
