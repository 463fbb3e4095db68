/** What the App hands to a job that shows how it stands on its runner, and what that job delivers. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const probeBrief = z.strictObject({ kind: z.literal('probe'), version: z.literal(1) });
export type ProbeBrief = z.infer<typeof probeBrief>;

/** One for all: it holds no secret and is for nobody in particular, so that it is served to anybody, and kept nowhere. */
export const PROBE_BRIEF = JSON.stringify({ kind: 'probe', version: 1 } satisfies ProbeBrief);
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
  version: z.literal(1),
  token: z.discriminatedUnion('type', [
    /** GitHub gave none, or the App gave no answer. */
    z.strictObject({ type: z.literal('none'), said }),
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
