/**
 * One loop: what it remembers. What can happen to it is in event.ts, what it can ask for in effect.ts, the words of both in terms.ts.
 *
 * loop: one issue's journey · phase: a stage of it · entry: one stay in a phase, numbered loop-wide · iteration: one BUILD entry with what follows ·
 * round: DEFINE to ARCH_REVIEW · event: something that happened · effect: something to be done · packet: the documents that people approve ·
 * candidate: a commit that is judged before it is on the branch · board: the status text.
 */
import { z } from 'zod';
import { interview, surface, task } from '../documents/documents.ts';
import { reflection } from './answers.ts';
import { type Effect, effect } from './effect.ts';
import { event } from './event.ts';
import { commitSha, defect, digest, measurement } from './measurement.ts';
import { actor, document, type LoopRef, lane, loopRef, phaseName, price, role } from './terms.ts';

/** One gate's verdict: `value` undefined means that nothing was measured, and then it never passes. */
export const verdict = z.strictObject({
  name: z.string(),
  value: z.number().optional(),
  threshold: z.string(),
  passed: z.boolean(),
});
export type Verdict = z.infer<typeof verdict>;

/** One finished stay in a phase. */
export const entryRecord = z.strictObject({
  entry: z.int(),
  phase: phaseName,
  attempt: z.int(),
  startedAt: z.string(),
  endedAt: z.string(),
  outcome: z.enum(['passed', 'failed', 'cancelled']),
  gates: z.array(verdict),
  measurements: z.array(measurement),
  reason: z.string(),
});
export type EntryRecord = z.infer<typeof entryRecord>;

export const answeredQuestion = interview.shape.questions.element.extend({
  number: z.int(),
  answer: z.string().optional(),
  assumed: z.boolean(),
});
export type AnsweredQuestion = z.infer<typeof answeredQuestion>;

/** queued: it shall work and waits for a free slot; its effects of the lane `work` wait with it. */
export const status = z.enum(['idle', 'queued', 'working', 'waiting', 'paused', 'succeeded', 'stopped']);
export type Status = z.infer<typeof status>;

export const loop = z.strictObject({
  schema: z.literal(1),
  ref: loopRef,
  status,
  /** What a waiting loop waits for. */
  waitingFor: z.enum(['answers', 'approval', 'release']).optional(),
  /** Where a paused loop goes on. */
  pausedFrom: z.enum(['working', 'waiting', 'queued']).optional(),
  /** Outcomes that arrived while paused, in order. */
  held: z.array(event),
  phase: phaseName,
  /** Serial of the current stay in a phase; never repeats within the loop. */
  entry: z.int(),
  entryStartedAt: z.string(),
  /** Number of events applied; part of the keys of repeatable effects. */
  seq: z.int(),
  startedAt: z.string(),
  startedBy: actor.optional(),
  issue: z.strictObject({ title: z.string(), body: z.string(), author: actor }).optional(),
  base: z.strictObject({ branch: z.string(), sha: commitSha }).optional(),
  configDigest: digest.optional(),
  /** Where the configuration was read: the base, or where the default branch changed it since. */
  configSha: commitSha.optional(),
  lane,
  surface: surface.optional(),
  /** Opened under a new plan or round number, never reset, so every walk ends. */
  counters: z.strictObject({
    rounds: z.int(),
    plans: z.int(),
    iterations: z.int(),
    interviews: z.int(),
    /** Tries of the current phase's draft in this round, by phase. */
    drafts: z.partialRecord(phaseName, z.int()),
    /** Runs that died with their machine, over the whole loop. */
    cancellations: z.int(),
    /** Extra tries granted by people. */
    grants: z.int(),
  }),
  limits: z.strictObject({
    iterations: z.int(),
    usd: z.number(),
    checksQuietSeconds: z.number(),
    runMinutes: z.number(),
  }),
  questions: z.array(answeredQuestion),
  context: z.array(z.string()),
  documents: z.array(document),
  tasks: z.array(task),
  requirementIds: z.array(z.string()),
  branch: z.string(),
  head: commitSha.optional(),
  pull: z.int().optional(),
  pullNodeId: z.string().optional(),
  promotedAt: z.string().optional(),
  /** What the repository's own checks measured, until SHIP is closed. */
  checks: z.array(measurement),
  packetDigest: digest.optional(),
  /** The entry whose documents are on the branch. */
  packetEntry: z.int().optional(),
  publishedAt: z.string().optional(),
  /** Of the comment that holds the packet. */
  packetCommentId: z.int().optional(),
  approval: z.strictObject({ by: actor, role, at: z.string(), digest }).optional(),
  candidate: z.strictObject({ sha: commitSha, codeTree: commitSha, entry: z.int() }).optional(),
  run: z.strictObject({ id: z.int(), entry: z.int() }).optional(),
  /** Stored reports of the current iteration, and what the next one starts from. */
  reports: z.strictObject({ build: digest.optional(), seed: digest.optional(), verify: digest.optional() }),
  promotion: z.strictObject({ by: z.enum(['auto', 'person']), why: z.string() }).optional(),
  sandbox: z.enum(['bubblewrap', 'none']).optional(),
  /** What REFLECT proposed, and what a person said to it. */
  proposals: z.array(
    reflection.shape.proposals.element.extend({
      decision: z.enum(['open', 'accepted', 'declined']),
      by: z.string().optional(),
    }),
  ),
  feedback: z.array(defect),
  signatures: z.array(z.string()),
  /** Code trees that did not pass under the approved plan; the same one again is a stall. */
  trees: z.array(commitSha),
  entries: z.array(entryRecord),
  price: price.optional(),
  spent: z.strictObject({
    calls: z.int(),
    callsOutsideBuild: z.int(),
    promptTokens: z.int(),
    completionTokens: z.int(),
    usd: z.number(),
  }),
  priority: z.enum(['vulnerability', 'incident', 'routine']),
  /** The last thing worth saying to people, one sentence: why it stopped, what was voided. */
  note: z.string(),
  /** Effects decided and not yet known to be performed. */
  pending: z.array(effect),
});
export type Loop = z.infer<typeof loop>;

export interface Decision {
  readonly loop: Loop;
  readonly effects: readonly Effect[];
}

export function newLoop(ref: LoopRef): Loop {
  return {
    schema: 1,
    ref,
    status: 'idle',
    held: [],
    phase: 'DISCOVER',
    entry: 0,
    entryStartedAt: '',
    seq: 0,
    startedAt: '',
    lane: 'feature',
    counters: { rounds: 0, plans: 0, iterations: 0, interviews: 0, drafts: {}, cancellations: 0, grants: 0 },
    limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
    questions: [],
    context: [],
    documents: [],
    tasks: [],
    requirementIds: [],
    branch: '',
    reports: {},
    checks: [],
    proposals: [],
    feedback: [],
    signatures: [],
    trees: [],
    entries: [],
    spent: { calls: 0, callsOutsideBuild: 0, promptTokens: 0, completionTokens: 0, usd: 0 },
    priority: 'routine',
    note: '',
    pending: [],
  };
}
