/** What was proved of a change, as one document: what `prove --json` prints. */
import { z } from 'zod';
import { outcome } from '../loop/brief.ts';
import { commitSha, defect } from '../loop/measurement.ts';
import { strength } from '../loop/strength.ts';

/** How a test showed that it needs the change: a wrong value, an exception, or something that is not there at all without it. */
export const how = z.enum(['assertion', 'exception', 'missing']);
export type How = z.infer<typeof how>;

/** `proves` fails without the change and passes with it, `keeps` passes on both, `red` does not pass on the head, `red before` nor on the base, `flaky` not always, `left out` was not run. */
export const role = z.enum(['proves', 'keeps', 'red', 'red before', 'flaky', 'left out']);
export type Role = z.infer<typeof role>;

export const proofRow = z.strictObject({
  /** `file::name`. */
  test: z.string(),
  role,
  /** On the base with the head's tests. */
  without: outcome,
  /** On the head, each run. */
  head: z.array(outcome),
  how: how.nullable(),
  /** What the failure said, first line. */
  said: z.string(),
});
export type ProofRow = z.infer<typeof proofRow>;

/** What one requirement of a list comes to; `kept` where it asks that something stays, and its tests pass on both. */
export const requirementProof = z.strictObject({
  requirement: z.string(),
  /** The tests that show it, `file::name`. */
  tests: z.array(z.string()),
  verdict: z.enum(['proved', 'weakly proved', 'kept', 'not proved']),
  /** Clauses; empty where it is proved or kept. */
  reasons: z.array(z.string()),
  /** Of its own tests in the changed lines that they come to; null where no fault was made. */
  strength: strength.nullable(),
});
export type RequirementProof = z.infer<typeof requirementProof>;

export const proof = z.strictObject({
  version: z.literal(1),
  base: commitSha,
  head: commitSha,
  runner: z.string(),
  /** Whether outcomes are sealed against the code under test, or told by the repository's own tool. */
  trust: z.enum(['sealed', 'told']),
  verdict: z.enum(['proved', 'weakly proved', 'not proved', 'not judged']),
  /** Why it is not proved, a sentence each; empty where it is. */
  reasons: z.array(z.string()),
  /** Changed files that are no tests. */
  product: z.array(z.string()),
  rows: z.array(proofRow),
  /** Null where no fault can be made in the changed lines, or none was asked for. */
  strength: strength.nullable(),
  /** Of the list that was given; empty without one. */
  requirements: z.array(requirementProof).default([]),
  /** What else speaks against the change: tests taken out or left out, changed set-up of the runner. What is `minor` is only told: silenced checks, tests that show nothing. */
  findings: z.array(defect),
  /** Tests in files that the change did not touch, which pass on the head as they do on the base. */
  kept: z.int().default(0),
  /** Tests in such files that are red on the base already; they are not counted. */
  redBefore: z.int().default(0),
  /** Their ids. */
  redTests: z.array(z.string()).default([]),
  /** Such files that cannot be run to their end on the base, so that nobody knows what they hold; `alsoWith` those that cannot be with the change either. */
  unrun: z
    .array(z.strictObject({ file: z.string(), reason: z.string(), alsoWith: z.boolean().default(false) }))
    .default([]),
  /** Of the tests that need the change those that fail, as they have to, where they expect something else than they were written to. Of the others it is not known. */
  exchanged: z.array(z.string()).default([]),
  /** Test files of the head that were not asked, because the person named others. */
  notAsked: z.int(),
  /** Test files beside the changed ones that were not run, because the changed ones show already that it is not proved. */
  notNeeded: z.int().default(0),
  sandbox: z.string(),
  durationMs: z.int(),
});
export type Proof = z.infer<typeof proof>;
