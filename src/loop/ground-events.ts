/** What happens to the ground that a loop stands on: commits on its branch, and a base that goes on. */
import { z } from 'zod';
import { commitSha, digest } from './measurement.ts';
import { actor } from './terms.ts';

const at = z.iso.datetime();

/** The loop branch is at a commit that is not ours; `by` is unknown where the App found it so itself. `sha` is the head as it was read, not as a webhook told it. */
export const pushed = z.strictObject({
  type: z.literal('pushed'),
  at,
  by: actor.optional(),
  sha: commitSha,
  codeTree: commitSha,
  documentsChanged: z.boolean(),
  /** Where the push brought a newer commit of the base into the branch. */
  base: z.strictObject({ before: commitSha, after: commitSha }).optional(),
});

/** The default branch moved. `sensitive` are those of the paths that always need a person, `configDigest` is that of the configuration there. */
export const moved = z.strictObject({
  type: z.literal('moved'),
  at,
  /** The base with which a webhook made it compared; where the loop has another one by now, this says nothing. */
  before: commitSha.optional(),
  sha: commitSha,
  paths: z.array(z.string()),
  /** More changed than GitHub lists, so the paths are unknown. */
  unlisted: z.boolean(),
  sensitive: z.array(z.string()),
  /** Those of the paths on which what was proved may depend. */
  bearing: z.array(z.string()).optional(),
  /** Among the paths are some that only people may bring into a branch. */
  forPeople: z.literal(true).optional(),
  configDigest: digest,
});

/** What is about to be handed over was proved on an older base, and the base went on in what the proof may depend on. */
export const behind = z.strictObject({
  type: z.literal('behind'),
  at,
  entry: z.int(),
  sha: commitSha,
  bearing: z.array(z.string()),
  unlisted: z.boolean(),
  configDigest: digest,
  forPeople: z.literal(true).optional(),
});
