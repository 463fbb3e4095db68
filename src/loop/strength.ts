/** How much tests notice: what is told of the faults that were made in a change. */
import { z } from 'zod';

/** A fault in the changed lines that the tests reach and did not notice. */
export const survivor = z.strictObject({
  file: z.string(),
  line: z.int(),
  sentence: z.string(),
  /** `git apply` this and the suite stays green. */
  patch: z.string(),
});
export type Survivor = z.infer<typeof survivor>;

export const strength = z.strictObject({
  /** Faults whose statement the tests reach. */
  made: z.int(),
  noticed: z.int(),
  /** Faults for which no time was left, or that could not be judged. */
  unmeasured: z.int(),
  /** Changed lines that no test reaches, where faults were tried. */
  unreached: z.array(z.strictObject({ file: z.string(), line: z.int() })),
  /** One a line at most: there may be fewer than `made - noticed`. */
  survivors: z.array(survivor),
});
export type Strength = z.infer<typeof strength>;

/** The share of faults that was noticed; 0 where no test comes to any place for one, undefined where there is none. */
export function shareOf({ made, noticed, unreached }: Strength): number | undefined {
  if (made > 0) return noticed / made;
  return unreached.length > 0 ? 0 : undefined;
}

/** Of the tests of one requirement. */
export const requirementStrength = strength.extend({
  requirement: z.string(),
  /** They notice a smaller share of the faults than the gate asks for. */
  weak: z.boolean(),
});
export type RequirementStrength = z.infer<typeof requirementStrength>;
