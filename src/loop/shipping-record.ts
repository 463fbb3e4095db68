/** What a loop remembers of how it is shipped. */
import { z } from 'zod';
import { commitSha, digest, excusedCheck, measurement } from './measurement.ts';

/** A base on which nothing was proved: newer than the loop's. */
export const outdated = z.strictObject({
  sha: commitSha,
  /** What changed there that the proof may depend on. */
  bearing: z.array(z.string()),
  /** More changed than GitHub lists. */
  unlisted: z.boolean(),
  /** Of the configuration there. */
  configDigest: digest,
  /** Files changed there that only people may bring into a branch. */
  forPeople: z.literal(true).optional(),
});
export type Outdated = z.infer<typeof outdated>;

/** SHIP, from its release notes on. */
export const shipping = z.strictObject({
  promotion: z.strictObject({ by: z.enum(['auto', 'person']), why: z.string() }),
  promotedAt: z.string().optional(),
  /** When something was last heard about the checks of the promoted head. */
  heardAt: z.string().optional(),
  /** The one timer of the checks; any other that elapses was replaced. */
  timer: z.strictObject({ key: z.string(), dueAt: z.string() }).optional(),
  /** When the checks were last asked for. */
  askedAt: z.string().optional(),
  /** How often the checks were asked for without a word about them in between; the pauses grow with it. */
  asked: z.int(),
  /** The checks that are awaited, as they are called. */
  waitsFor: z.array(z.string()),
  /** Those that ended without a verdict and that people were asked to run again. */
  rerun: z.array(z.string()).optional(),
  /** Those that are red without the change too. */
  excused: z.array(excusedCheck).optional(),
  /** Set once the pull request is ready and what was proved holds for an older base than there is. */
  outdated: outdated.optional(),
  /** What the repository's own checks measured, until SHIP is closed. */
  checks: z.array(measurement),
});
export type Shipping = z.infer<typeof shipping>;
