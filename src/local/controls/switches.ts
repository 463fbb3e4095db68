/** What can be set on the embedded GitHub and not on GitHub, under `/_local`: one table, each with what it may be and what it is at first. */
import { z } from 'zod';
import type { State } from '../state.ts';
import { arrangedSchema } from './arranged.ts';

export const switchesSchema = z.strictObject({
  /** How far the server's clock is from this machine's; `/_local/clock` sets it. */
  clockOffsetMs: z.int().default(0),
  /** GitHub finds out in the background whether a pull request can be merged; until then `mergeable` is null. */
  mergeableAfterMs: z.int().min(0).default(1000),
  /** Whether the past of the default branch is protected: it takes no forced push. */
  protectsDefaultBranch: z.boolean().default(false),
  /** Whether a neutral check run satisfies a rule that requires it, as GitHub's documentation says. */
  neutralPasses: z.boolean().default(true),
  /** How many requests of one account or App are taken in a minute, and how many of those that create what people see; null: all. */
  requestsPerMinute: z.int().min(1).nullable().default(null),
  creationsPerMinute: z.int().min(1).nullable().default(null),
  arranged: arrangedSchema.prefault({}),
});
export type SwitchValues = z.infer<typeof switchesSchema>;

export type SwitchChange = { readonly [Name in keyof SwitchValues]?: SwitchValues[Name] | undefined };

export interface Switches {
  readonly values: () => SwitchValues;
  /** Sets those that are named; they survive a restart. */
  readonly set: (change: SwitchChange) => SwitchValues;
}

/** Opens the switches as a former process left them. */
export function openSwitches({ switches: stored }: Pick<State, 'switches'>): Switches {
  const known = new Map(stored.find({}).map(({ name, value }) => [name, value]));
  let values = switchesSchema.parse(Object.fromEntries(known));
  return {
    values: () => values,
    set: (change) => {
      values = switchesSchema.parse({ ...values, ...change });
      for (const [name, value] of Object.entries(change)) {
        const row = stored.first({ name });
        if (row) stored.update(row.id, { value });
        else stored.insert({ name, value });
      }
      return values;
    },
  };
}
