/** A proof of a pull request that somebody asked for: what is remembered of it, what its job is given, and what the job delivers. */
import { z } from 'zod';
import { commands, sandboxKind } from '../loop/brief.ts';
import { commitSha } from '../loop/measurement.ts';
import { actor } from '../loop/terms.ts';
import { proof } from './proof.ts';

/** Words by which people ask: the label on a pull request, and the comment. */
export const PROVE_LABEL = 'prove';
export const PROVE_COMMAND = '/prove';

/** The check run in which it is told. */
export const PROOF_CHECK = 'loopwright / proof';

export const pullProof = z.strictObject({
  installationId: z.int(),
  repositoryId: z.int(),
  owner: z.string(),
  repo: z.string(),
  pull: z.int().positive(),
  /** As the how manieth proof of this pull request, from 1. */
  serial: z.int().positive(),
  at: z.iso.datetime(),
  by: actor,
  /** `asked`: nothing has begun. `running`: a workflow run is awaited. `ended`: all was told. */
  stage: z.enum(['asked', 'running', 'ended']),
  /** Since it runs: what is proved, where, and until when. While it is only asked for: the run of the one before it, if that had not ended. */
  run: z.strictObject({ id: z.int(), base: commitSha, head: commitSha, until: z.iso.datetime() }).optional(),
});
export type PullProof = z.infer<typeof pullProof>;

/** Whoever asks, where, and when. */
export type ProofAsk = Omit<PullProof, 'serial' | 'stage' | 'run'>;

/** What stands after somebody asked: a proof that has not begun answers this one too, any other is followed by a new one. */
export function asked(before: PullProof | undefined, ask: ProofAsk): PullProof {
  if (before?.stage === 'asked') return before;
  const serial = (before?.serial ?? 0) + 1;
  return { ...ask, serial, stage: 'asked', ...(before?.stage === 'running' ? { run: before.run } : {}) };
}

/** What the App hands to the job. */
export const proofBrief = z.strictObject({
  kind: z.literal('proof'),
  version: z.literal(1),
  /** By it the App knows for whom the brief is. */
  repositoryId: z.int().optional(),
  pull: z.int().positive(),
  serial: z.int().positive(),
  base: commitSha,
  head: commitSha,
  commands: commands.pick({
    ...{ install: true, build: true },
    ...{ runner: true, test: true, tests: true, directory: true, junit: true, hosts: true },
  }),
  limits: z.strictObject({
    commandTimeoutMs: z.int().positive(),
    suiteTimeoutMs: z.int().positive(),
    outputBytes: z.int().positive(),
    faults: z.int().min(0),
  }),
});
export type ProofBrief = z.infer<typeof proofBrief>;

/** `report.json` of the artifact: the proof, or why there is none. */
export const proofReport = z.strictObject({
  kind: z.literal('proof'),
  version: z.literal(1),
  pull: z.int().positive(),
  serial: z.int().positive(),
  base: commitSha,
  head: commitSha,
  sandbox: sandboxKind,
  proof: proof.nullable(),
  /** What kept the job from its work; null where there is a proof. */
  failure: z.string().min(1).nullable(),
});
export type ProofReport = z.infer<typeof proofReport>;
