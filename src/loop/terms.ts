/** The words that everything in a loop is said with: phases, roles, actors, prices, lanes, and which loop it is. */
import { z } from 'zod';
import { digest } from './measurement.ts';

export const phaseName = z.enum([
  'DISCOVER',
  'DEFINE',
  'PLAN',
  'ARCH_REVIEW',
  'BUILD',
  'SEED_DATA',
  'VERIFY',
  'SHIP',
  'REFLECT',
]);
export type PhaseName = z.infer<typeof phaseName>;

export const role = z.enum(['none', 'read', 'triage', 'write', 'maintain', 'admin']);
export type Role = z.infer<typeof role>;

/** Who did it: a GitHub account. Only `User` accounts are people. */
export const actor = z.strictObject({ id: z.int(), login: z.string(), type: z.enum(['User', 'Bot', 'Organization']) });
export type Actor = z.infer<typeof actor>;

/** GitHub's stand-in for an account that was deleted: nobody, so it has no role and is the author of nothing. */
export const GHOST: Actor = { id: 10_137, login: 'ghost', type: 'User' };

/** Whether somebody is behind an account: a person, and one that is still there. */
export function isPerson({ id, type }: Actor): boolean {
  return type === 'User' && id !== GHOST.id;
}

/** USD per million tokens; a model whose price nobody stated has none, and its cost is shown as unknown. */
export const price = z.strictObject({ prompt: z.number().nonnegative(), completion: z.number().nonnegative() });
export type Price = z.infer<typeof price>;

/** Which issue a loop belongs to, and the installation whose token may touch it. `n` is 1 for the issue's first loop. */
export const loopRef = z.strictObject({
  installationId: z.int(),
  repositoryId: z.int(),
  owner: z.string(),
  repo: z.string(),
  issue: z.int(),
  n: z.int().positive(),
});
export type LoopRef = z.infer<typeof loopRef>;

export const document = z.strictObject({ path: z.string(), digest });
export type Document = z.infer<typeof document>;

/** What a loop may use up; the configuration and the goal say it when the label is set. */
/** What a change whose tests notice too few faults comes to: people are told, or it does not pass. */
export const strengthPolicy = z.enum(['reported', 'required']);
export type StrengthPolicy = z.infer<typeof strengthPolicy>;

export const limits = z.strictObject({
  iterations: z.int(),
  usd: z.number(),
  /** Of prompts and answers together. */
  tokens: z.int().optional(),
  /** Of work; the time that it waits for people does not count. */
  minutes: z.number().optional(),
  checksQuietSeconds: z.number(),
  runMinutes: z.number(),
  /** For how long the model may be silent in the App's own calls. */
  modelSeconds: z.number().optional(),
});

export const priority = z.enum(['vulnerability', 'incident', 'routine']);
export type Priority = z.infer<typeof priority>;

export const lane = z.enum(['trivial', 'bug', 'feature']);
export type Lane = z.infer<typeof lane>;

/** Human name of a loop: `acme/shop#12`, `acme/shop#12-2` for the second loop of an issue. */
export function nameOf(ref: LoopRef): string {
  return `${ref.owner}/${ref.repo}#${ref.issue}${ref.n > 1 ? `-${ref.n}` : ''}`;
}

/** Storage id of a loop; survives renames of the repository. */
export function idOf(ref: LoopRef): string {
  return `${ref.repositoryId}/${ref.issue}/${ref.n}`;
}

/** queued: it shall work and waits for a free slot; its effects of the lane `work` wait with it. */
export const status = z.enum(['idle', 'queued', 'working', 'waiting', 'paused', 'succeeded', 'stopped']);
export type Status = z.infer<typeof status>;

/** A right that the App does not have for now. */
export interface Withheld {
  /** One sentence with the remedy. */
  readonly reason: string;
  /** It can write nothing; else it can do all that needs not what is missing. */
  readonly isWhole: boolean;
  /** Since when, where GitHub says it; ISO. */
  readonly since?: string;
}
