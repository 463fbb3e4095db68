/** What the App hands to a job that shows how it stands on its runner, and what that job delivers; both change their version together. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const probeBrief = z.strictObject({ kind: z.literal('probe'), version: z.literal(2) });
export type ProbeBrief = z.infer<typeof probeBrief>;

/** One for all: it holds no secret and is for nobody in particular, so that it is served to anybody, and kept nowhere. */
export const PROBE_BRIEF = JSON.stringify({ kind: 'probe', version: 2 } satisfies ProbeBrief);
export const PROBE_BRIEF_DIGEST = createHash('sha256').update(PROBE_BRIEF).digest('hex');

/** Of the token that the job was given, as far as the gateway judges it and there is one; no other of its claims leaves the job. */
const claims = z.strictObject({
  environment: z.string().max(300).optional(),
  event_name: z.string().max(300).optional(),
  job_workflow_ref: z.string().max(300).optional(),
  ref: z.string().max(300).optional(),
  run_attempt: z.string().max(300).optional(),
  workflow_ref: z.string().max(300).optional(),
});
export type ToldClaims = z.infer<typeof claims>;
export const CLAIM_NAMES = claims.keyof().options;

const said = z.string().max(1000);

/** `report.json` of the artifact. */
export const runnerReport = z.strictObject({
  kind: z.literal('probe'),
  version: z.literal(2),
  token: z.discriminatedUnion('type', [
    /** The workflow gives the job no way to it. */
    z.strictObject({ type: z.literal('none'), said }),
    /** GitHub, or the App, gave no answer that tells. */
    z.strictObject({ type: z.literal('unheard'), said }),
    z.strictObject({
      type: z.literal('asked'),
      claims,
      status: z.int(),
      /** Whether the App's gateway spoke, and nothing that stands before it. */
      isApp: z.boolean(),
      /** Whether all that it has against the run is that no loop awaits it. */
      isUnawaited: z.boolean(),
      said,
    }),
  ]),
  sandbox: z.strictObject({ works: z.boolean(), said }),
});
export type RunnerReport = z.infer<typeof runnerReport>;

/** Whether an answer of the gateway, or of what stands before it, says only that it does not answer now. */
export function isPassing(status: number): boolean {
  return status >= 500 || PASSING.includes(status);
}

const PASSING: readonly number[] = [408, 425, 429];
