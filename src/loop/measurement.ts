/** What a gate may read: numbers with their origin, and what went wrong. */
import { z } from 'zod';

export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export const commitSha = z.string().regex(/^[0-9a-f]{40}$/);

/** A question to a model, by the digest of all that was said, and the stored answer. */
export const answered = z.strictObject({ asked: digest, answer: digest });
export type Answered = z.infer<typeof answered>;

/** One number that a tool produced in this entry. `raw` is the digest of the stored output that it was read from. */
export const measurement = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /** Counts, shares, times and scores: none of them is below 0. */
  value: z.number().min(0),
  unit: z.enum(['ratio', 'count', 'ms', 'usd', 'tokens', 'score']),
  source: z.string().min(1),
  raw: digest,
});
export type Measurement = z.infer<typeof measurement>;

/** Why work is sent back. `requirement` is `R-1`…, `rule` names the check that found it. */
export const defect = z.strictObject({
  id: z.string().min(1),
  requirement: z.string().nullable(),
  file: z.string().nullable(),
  line: z.int().positive().nullable(),
  rule: z.string().min(1),
  severity: z.enum(['blocker', 'major', 'minor']),
  message: z.string().min(1).max(4000),
  suggestion: z.string().max(2000).nullable(),
});
export type Defect = z.infer<typeof defect>;

/** A check of the repository that is red with the change, and at this commit without it. */
export const excusedCheck = z.strictObject({ name: z.string(), sha: commitSha });
export type ExcusedCheck = z.infer<typeof excusedCheck>;

/** The numbers of the gates, by phase and name of the measurement. */
export const thresholds = z.record(z.string(), z.record(z.string(), z.number()));
export type Thresholds = z.infer<typeof thresholds>;
