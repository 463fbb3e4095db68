/**
 * One loop: what it remembers. What can happen to it is in event.ts, what it can ask for in effect.ts, the words of both in terms.ts.
 *
 * loop: one issue's journey · phase: a stage of it · entry: one stay in a phase, numbered loop-wide · iteration: one BUILD entry with what follows ·
 * round: DEFINE to ARCH_REVIEW · event: something that happened · effect: something to be done · packet: the documents that people approve ·
 * candidate: a commit that is judged before it is on the branch · board: the status text.
 */
import { z } from 'zod';
import { interview, supersededTest, surface, task } from '../documents/documents.ts';
import { reflection } from './answers.ts';
import { built } from './built.ts';
import { type Effect, effect, effectLane } from './effect.ts';
import { event } from './event.ts';
import { goal } from './goal.ts';
import { answered, commitSha, defect, digest, measurement, thresholds } from './measurement.ts';
import { ofComments } from './people/unanswered.ts';
import { shipping } from './shipping-record.ts';
import type { LoopRef } from './terms.ts';
import {
  actor,
  document,
  lane,
  limits,
  loopRef,
  phaseName,
  price,
  priority,
  role,
  status,
  strengthPolicy,
} from './terms.ts';
import { waiver } from './waiver.ts';

/** One gate's verdict: `value` undefined means that nothing was measured, and then it never passes. */
export const verdict = z.strictObject({
  name: z.string(),
  value: z.number().optional(),
  threshold: z.string(),
  passed: z.boolean(),
  /** It is told to people and blocks nothing. */
  advisory: z.literal(true).optional(),
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

/** What a loop knows once a label has started it; what moves with the base moves here. */
const started = z.strictObject({
  at: z.string(),
  by: actor,
  issue: z.strictObject({ title: z.string(), body: z.string(), author: actor }),
  base: z.strictObject({ branch: z.string(), sha: commitSha }),
  /** The configuration; `sha` is where it was read if that is not the base: the default branch changed it since. */
  config: z.strictObject({ digest, sha: commitSha.optional() }),
  lane,
  branch: z.string(),
  limits,
  thresholds: thresholds.optional(),
  strength: strengthPolicy.optional(),
  /** What the goal block of the issue demands. */
  goal: goal.optional(),
  price: price.optional(),
});
export type Started = z.infer<typeof started>;

/** The pull request, from the first packet on. */
const review = z.strictObject({
  pull: z.int(),
  nodeId: z.string(),
  /** Of the loop branch, as GitHub last said. */
  head: commitSha,
  /** The packet that is on the branch; what people approve is its digest. */
  packet: z.strictObject({
    entry: z.int(),
    digest,
    commentId: z.int(),
    publishedAt: z.string(),
    /** The commit that brought it. */
    head: commitSha.optional(),
  }),
  /** The pull request of a finished loop was closed or merged. */
  isOver: z.literal(true).optional(),
});
export type Review = z.infer<typeof review>;

export const loop = z.strictObject({
  schema: z.literal(2),
  ref: loopRef,
  status,
  /** What a waiting loop waits for. */
  waitingFor: z.enum(['answers', 'approval', 'release', 'rerun']).optional(),
  /** Where a paused loop goes on. */
  pausedFrom: z.enum(['working', 'waiting', 'queued']).optional(),
  /** When somebody wrote the `/pause` that holds it. */
  pausedAt: z.string().optional(),
  /** What it was paused for, where no person did it. */
  pausedFor: z.literal('budget').optional(),
  /** Outcomes that arrived while paused, in order. */
  held: z.array(event),
  phase: phaseName,
  /** Serial of the current stay in a phase; never repeats within the loop. */
  entry: z.int(),
  entryStartedAt: z.string(),
  /** Number of events applied; part of the keys of repeatable effects. */
  seq: z.int(),
  started: started.optional(),
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
    /** Pushes of people that set an iteration back to its beginning, over the whole loop. */
    interruptions: z.int(),
    /** Bases that were merged into what was proved already, over the whole loop. */
    merges: z.int().optional(),
    /** Extra tries granted by people. */
    grants: z.int(),
  }),
  questions: z.array(answeredQuestion),
  context: z.array(z.string()),
  surface: surface.optional(),
  documents: z.array(document),
  tasks: z.array(task),
  supersededTests: z.array(supersededTest).optional(),
  requirementIds: z.array(z.string()),
  review: review.optional(),
  approval: z.strictObject({ by: actor, role, at: z.string(), digest }).optional(),
  built,
  shipping: shipping.optional(),
  /** What a draft that failed was answered before; nobody is asked, and paid, for the same again. */
  answered: z.array(answered).optional(),
  waivers: z.array(waiver),
  /** What REFLECT learned. */
  lessons: reflection.shape.lessons.optional(),
  /** What REFLECT proposed, and what a person said to it. */
  proposals: z.array(
    reflection.shape.proposals.element.extend({
      decision: z.enum(['open', 'accepted', 'declined']),
      by: z.string().optional(),
    }),
  ),
  feedback: z.array(defect),
  /** What people want different in the finished pull request; every step reads it until that is ready again. */
  requested: z.array(defect).default([]),
  /** What the last entry that failed was red for: named when the loop stops, also where a later entry passed. `left` are those that are not kept. */
  red: z.strictObject({ entry: z.int(), phase: phaseName, defects: z.array(defect), left: z.int() }).optional(),
  signatures: z.array(z.string()),
  /** Code trees that did not pass under the approved plan; the same one again is a stall. */
  trees: z.array(commitSha),
  entries: z.array(entryRecord),
  spent: z.strictObject({
    calls: z.int(),
    callsOutsideBuild: z.int(),
    promptTokens: z.int(),
    completionTokens: z.int(),
    /** Calls whose tokens are estimated. */
    estimated: z.int().optional(),
    usd: z.number(),
  }),
  priority,
  /** Where minutes are limited: milliseconds of work, and since when it works now. */
  worked: z.strictObject({ ms: z.number(), since: z.string().optional() }).optional(),
  /** Why the App may not do its work in the repository for now, and the lanes that wait for it. */
  withheld: z.strictObject({ since: z.string(), reason: z.string(), lanes: z.array(effectLane) }).optional(),
  /** The last thing worth saying to people, one sentence: why it stopped, what was voided. */
  note: z.string(),
  ...ofComments,
  /** Effects decided and not yet known to be performed. */
  pending: z.array(effect),
  /** Keys of effects that nobody awaits any more but that may be under way: what they cost is counted, what they started is ended. */
  abandoned: z.array(z.string()),
});
export type Loop = z.infer<typeof loop>;

export interface Decision {
  readonly loop: Loop;
  readonly effects: readonly Effect[];
}

export function newLoop(ref: LoopRef): Loop {
  return {
    schema: 2,
    ref,
    status: 'idle',
    held: [],
    phase: 'DISCOVER',
    entry: 0,
    entryStartedAt: '',
    seq: 0,
    counters: {
      rounds: 0,
      plans: 0,
      iterations: 0,
      interviews: 0,
      drafts: {},
      cancellations: 0,
      interruptions: 0,
      grants: 0,
    },
    questions: [],
    context: [],
    documents: [],
    tasks: [],
    requirementIds: [],
    built: { reports: {} },
    waivers: [],
    proposals: [],
    feedback: [],
    requested: [],
    signatures: [],
    trees: [],
    entries: [],
    spent: { calls: 0, callsOutsideBuild: 0, promptTokens: 0, completionTokens: 0, usd: 0 },
    priority: 'routine',
    note: '',
    unanswered: [],
    courtesies: [],
    pending: [],
    abandoned: [],
  };
}
