/** What the parent asks of the probe inside the sandbox, and what the probe answers over file descriptor 3. */
import { z } from 'zod';
import { acceptanceRow, surface } from '../../documents/documents.ts';

export const probeRequest = z.strictObject({
  /** Seals the answer: the product shares the namespace, and must not be able to answer for the probe. */
  key: z.string(),
  surface,
  rows: z.array(acceptanceRow),
  start: z.string().nullable(),
  health: z.string().nullable(),
  startMs: z.int(),
  stepMs: z.int(),
  /** Requests of the load, after the warm-ups. */
  requests: z.int(),
  warmUps: z.int(),
});
export type ProbeRequest = z.infer<typeof probeRequest>;

export const rowResult = z.strictObject({ id: z.string(), passed: z.boolean(), detail: z.string() });
export type RowResult = z.infer<typeof rowResult>;

export const loadResult = z.strictObject({
  path: z.string(),
  /** Durations of the requests that were answered as the step expects. */
  durationsMs: z.array(z.number()),
  /** Requests that were not. */
  failures: z.int(),
});
export type LoadResult = z.infer<typeof loadResult>;

export const probeResult = z.strictObject({
  /** Why the product was not there; then no row that needs it was tried. */
  problem: z.string().nullable(),
  rows: z.array(rowResult),
  load: loadResult.nullable(),
  /** The end of what the product printed. */
  output: z.string(),
});
export type ProbeResult = z.infer<typeof probeResult>;
