/** The trial of a base, before anything is spent on it: what its job is given, and what it delivers. */
import { z } from 'zod';
import { sandboxKind } from '../loop/brief.ts';
import { commitSha } from '../loop/measurement.ts';
import { proofBrief } from '../proof/pull-proof.ts';

/** What the App hands to the job. */
export const trialBrief = z.strictObject({
  kind: z.literal('trial'),
  version: z.literal(1),
  /** By it the App knows for whom the brief is. */
  repositoryId: z.int(),
  /** As the how manieth trial of this repository, from 1. */
  serial: z.int().positive(),
  base: commitSha,
  commands: proofBrief.shape.commands,
  limits: proofBrief.shape.limits.omit({ faults: true }),
});
export type TrialBrief = z.infer<typeof trialBrief>;

/** In this order: what is installed, what is built of it, the whole suite, once more, and single tests by the runner. */
export const TRIAL_STEPS = ['install', 'build', 'suite', 'suite again', 'runner'] as const;
export type TrialStepName = (typeof TRIAL_STEPS)[number];

export const trialStep = z.strictObject({
  step: z.enum(TRIAL_STEPS),
  /** `none`: the configuration has no such command. `not tried`: what it needs failed before. */
  outcome: z.enum(['passed', 'failed', 'none', 'not tried']),
  seconds: z.number().min(0),
  /** Of a failure the end of its output; of what passed what there is to say, or nothing. */
  said: z.string().max(4000),
});
export type TrialStep = z.infer<typeof trialStep>;

/** `report.json` of the artifact: what came of each step, or why nothing was tried. */
export const trialReport = z.strictObject({
  kind: z.literal('trial'),
  version: z.literal(1),
  serial: z.int().positive(),
  base: commitSha,
  sandbox: sandboxKind,
  /** One of each, in their order; null where nothing was tried. */
  steps: z.array(trialStep).length(TRIAL_STEPS.length).nullable(),
  /** What kept the job from its work; null where there are steps. */
  failure: z.string().min(1).nullable(),
});
export type TrialReport = z.infer<typeof trialReport>;
