/** How far a repository is on its way to its first loop: what is remembered of it, and what a new wish changes. Pure. */
import { z } from 'zod';
import { commitSha } from '../loop/measurement.ts';

/** The check run that is red until all is there. */
export const SETUP_CHECK = 'loopwright / setup';

/** The branch of the one pull request that brings what is missing. */
export const SETUP_BRANCH = 'loopwright/setup';

/** A red base is tried again when it moves, so often; then only where somebody asks. */
export const MOST_TRIALS = 5;

export const onboarding = z.strictObject({
  installationId: z.int(),
  repositoryId: z.int(),
  owner: z.string(),
  repo: z.string(),
  at: z.iso.datetime(),
  /**
   * `asked`: it is to be looked at afresh. `waiting`: for people, or for a base that moves. `trying`: a trial is to be begun, or its run is awaited.
   * `ready`: all is there, the base was green twice, and nothing spoke against the model. `declined`: somebody closed the pull request, so nothing is proposed, nor looked at before somebody asks.
   */
  stage: z.enum(['asked', 'waiting', 'trying', 'ready', 'declined']),
  /** The App's commit for the branch, and the commit that it was made on: a branch that does not hold it is somebody's. */
  branch: z.strictObject({ sha: commitSha, base: commitSha }).optional(),
  /** The pull request that brings what is missing, once it is open. */
  pull: z.int().positive().optional(),
  /** When it was looked at last, the default branch had all in another way: closing it declines nothing. */
  unneeded: z.literal(true).optional(),
  /** How many trials were begun, and how many since somebody asked. */
  trials: z.int().min(0),
  unasked: z.int().min(0),
  /** The commit of the default branch that is tried, or was tried last. */
  base: commitSha.optional(),
  /** A base that was not green, and what its trial said of that: no loop starts on it. Kept until another trial says something else. */
  red: z.strictObject({ base: commitSha, says: z.string() }).optional(),
  /** Somebody wants to see what would be asked about an issue. */
  preview: z.literal('asked').optional(),
  /** While it is awaited. */
  run: z.strictObject({ id: z.int(), until: z.iso.datetime() }).optional(),
});
export type Onboarding = z.infer<typeof onboarding>;

/** Where, and when it was asked for. */
export type OnboardingAsk = Pick<Onboarding, 'installationId' | 'repositoryId' | 'owner' | 'repo' | 'at'>;

/** What stands after somebody installed the App there, or pressed the button of the check run: the base is tried anew. A run that is awaited is waited for. */
export function asked(before: Onboarding | undefined, ask: OnboardingAsk): Onboarding {
  const { trials = 0, stage, pull, unneeded, branch, red } = before ?? {};
  if (before !== undefined && stage === 'trying') return { ...before, ...ask, unasked: 0 };
  const known = {
    ...(branch && { branch }),
    ...(red && { red }),
    ...(pull !== undefined && stage !== 'declined' && { pull, ...(unneeded && { unneeded }) }),
  };
  return { ...ask, ...known, stage: 'asked', trials, unasked: 0 };
}

/** The button of the check run that asks for it. */
export const PREVIEW_BUTTON = 'preview';

/** Whether the App itself has something to do next; what waits, and what runs, is heard of by its webhook. */
export function isDue({ stage, run, preview }: Onboarding): boolean {
  return preview !== undefined || stage === 'asked' || (stage === 'trying' && run === undefined);
}

/** Until people do something, or a base moves. */
export function waiting({ run: _, ...onboarding }: Onboarding): Onboarding {
  return { ...onboarding, stage: 'waiting' };
}

/** Names the onboarding in its check runs. */
export function setupId({ repositoryId, trials }: Onboarding): string {
  return `setup/${repositoryId}/${trials}`;
}
/** What such a name begins with. */
export const SETUP_ID = /^setup\/(\d+)\/\d+$/;
