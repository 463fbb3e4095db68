/** What of a loop was brought to GitHub last, and where it is: so that it is neither looked for nor sent again. Pure. */
import { z } from 'zod';
import type { CheckRun } from './check-run.ts';

export const shownComment = z.strictObject({
  id: z.int(),
  /** Of the text as it was sent. */
  digest: z.string(),
});
export type ShownComment = z.infer<typeof shownComment>;

export const shownCheck = z.strictObject({
  name: z.string(),
  headSha: z.string(),
  id: z.int(),
  /** Its name in GraphQL; rows of earlier versions have none. */
  node: z.string().optional(),
  externalId: z.string(),
  isCompleted: z.boolean(),
  /** How many there are. */
  annotations: z.int(),
  /** Digests of all that was sent, and of the annotations. */
  digests: z.strictObject({ all: z.string(), annotations: z.string() }),
});
export type ShownCheck = z.infer<typeof shownCheck>;

/** The one of this name on this head. */
export function knownCheck(known: readonly ShownCheck[], { name, headSha }: CheckRun): ShownCheck | undefined {
  return known.find((one) => one.name === name && one.headSha === headSha);
}

/** A check run that was sent so, and where it is. */
export function shownAs(
  { name, headSha, externalId, status, annotations }: CheckRun,
  { id, node, digests }: Pick<ShownCheck, 'id' | 'node' | 'digests'>,
): ShownCheck {
  const isCompleted = status === 'completed';
  const place = { id, ...(node === undefined ? {} : { node }) };
  return { name, headSha, ...place, externalId, isCompleted, annotations: annotations.length, digests };
}

export const shown = z.strictObject({
  board: shownComment.optional(),
  /** Digest of the pull request's title and text. */
  pull: z.string().optional(),
  checks: z.array(shownCheck).readonly(),
});
export type Shown = z.infer<typeof shown>;

export const NOTHING_SHOWN: Shown = { checks: [] };
