/** What can happen to a loop: events. */
import { z } from 'zod';
import { interview, surface, task } from '../documents/documents.ts';
import { reflection } from './answers.ts';
import { modelCall } from './brief.ts';
import { commitSha, defect, digest, measurement } from './measurement.ts';
import { actor, document, lane, price, role } from './terms.ts';

const at = z.iso.datetime();
const bySomebody = { at, by: actor, role, commentId: z.int().optional() };
const ofEntry = { at, entry: z.int() };

/** Something that happened: past participles. A late or repeated event does not apply and changes nothing. */
export const event = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('labelled'),
    ...bySomebody,
    issue: z.strictObject({ title: z.string(), body: z.string(), author: actor }),
    base: z.strictObject({ branch: z.string(), sha: commitSha }),
    configDigest: digest,
    /** Why the goal or the configuration is refused; one sentence with the remedy. */
    refusal: z.string().optional(),
    limits: z.strictObject({
      iterations: z.int(),
      usd: z.number(),
      checksQuietSeconds: z.number(),
      runMinutes: z.number(),
    }),
    lane,
    branch: z.string(),
    price: price.optional(),
  }),
  z.strictObject({ type: z.literal('unlabelled'), ...bySomebody }),
  /** The issue was closed. */
  z.strictObject({ type: z.literal('closed'), ...bySomebody }),
  /** The pull request was closed, merged or its branch deleted. */
  z.strictObject({
    type: z.literal('ended'),
    ...bySomebody,
    how: z.enum(['pull request closed', 'pull request merged', 'branch deleted']),
  }),
  z.strictObject({
    type: z.literal('commanded'),
    ...bySomebody,
    command: z.string(),
    argument: z.string(),
    permitted: z.boolean(),
    createdAt: z.string(),
    /** Set when another loop of the issue was started after this one; `pull` is its pull request. */
    newer: z.strictObject({ pull: z.int().optional() }).optional(),
  }),
  /** A button of a check run; `digest` is the one on the button. */
  z.strictObject({
    type: z.literal('pressed'),
    ...bySomebody,
    button: z.enum(['approve', 'rerun']),
    digest: z.string(),
  }),
  /** A review with text on the pull request. */
  z.strictObject({
    type: z.literal('reviewed'),
    ...bySomebody,
    state: z.enum(['approved', 'changes_requested', 'commented']),
    body: z.string(),
    submittedAt: z.string(),
  }),
  /** A person pushed to the loop branch. */
  z.strictObject({
    type: z.literal('pushed'),
    at,
    by: actor,
    sha: commitSha,
    codeTree: commitSha,
    documentsChanged: z.boolean(),
    /** Where the push brought a newer commit of the base into the branch. */
    base: z.strictObject({ before: commitSha, after: commitSha }).optional(),
  }),
  /** The default branch moved. `sensitive` are those of the paths that always need a person, `configDigest` is that of the configuration there. */
  z.strictObject({
    type: z.literal('moved'),
    at,
    /** The base with which a webhook made it compared; where the loop has another one by now, this says nothing. */
    before: commitSha.optional(),
    sha: commitSha,
    paths: z.array(z.string()),
    /** More changed than GitHub lists, so the paths are unknown. */
    unlisted: z.boolean(),
    sensitive: z.array(z.string()),
    configDigest: digest,
  }),
  z.strictObject({
    type: z.literal('asked'),
    ...ofEntry,
    questions: z.array(interview.shape.questions.element),
    calls: z.array(modelCall),
  }),
  z.strictObject({
    type: z.literal('drafted'),
    ...ofEntry,
    documents: z.array(document),
    measurements: z.array(measurement),
    defects: z.array(defect),
    calls: z.array(modelCall),
    /** Facts that later decisions need; each phase gives its own. */
    surface: surface.optional(),
    tasks: z.array(task).optional(),
    requirementIds: z.array(z.string()).optional(),
    promotion: z.strictObject({ by: z.enum(['auto', 'person']), why: z.string() }).optional(),
    proposals: z.array(reflection.shape.proposals.element).optional(),
  }),
  z.strictObject({
    type: z.literal('published'),
    ...ofEntry,
    head: commitSha,
    pull: z.int(),
    pullNodeId: z.string(),
    /** Of the packet comment. */
    commentId: z.int(),
    digest,
    /** The budget that the packet states. */
    usd: z.number(),
    /** The newest commit of the base that the branch holds. */
    base: commitSha.optional(),
  }),
  z.strictObject({ type: z.literal('dispatched'), ...ofEntry, runId: z.int() }),
  /** A workflow run of ours ended. */
  z.strictObject({ type: z.literal('completed'), at, runId: z.int(), conclusion: z.string() }),
  z.strictObject({
    type: z.literal('reported'),
    ...ofEntry,
    measurements: z.array(measurement),
    defects: z.array(defect),
    calls: z.array(modelCall),
    sandbox: z.enum(['bubblewrap', 'none']),
    /** Digests of the stored report and of what it proposes. */
    report: digest,
    /** The same for failures that are the same; empty when nothing failed. */
    signature: z.string(),
  }),
  z.strictObject({ type: z.literal('landed'), ...ofEntry, candidate: commitSha, codeTree: commitSha }),
  z.strictObject({ type: z.literal('promoted'), ...ofEntry, head: commitSha }),
  z.strictObject({
    type: z.literal('checked'),
    ...ofEntry,
    measurements: z.array(measurement),
    defects: z.array(defect),
    signature: z.string(),
  }),
  z.strictObject({ type: z.literal('readied'), ...ofEntry }),
  z.strictObject({ type: z.literal('elapsed'), ...ofEntry, timer: z.enum(['run', 'checks']) }),
  /** An effect could not do its work. `cause: model`, `setup` and `conflict` need a person; `work` is retried within its limit; `moved` means the ground moved under it. */
  z.strictObject({
    type: z.literal('failed'),
    ...ofEntry,
    cause: z.enum(['model', 'setup', 'work', 'cancelled', 'moved', 'conflict', 'safety']),
    reason: z.string(),
    calls: z.array(modelCall),
    /** Of a BUILD that failed with some tasks done: the stored report, from which the next one goes on. */
    report: digest.optional(),
  }),
]);
export type Event = z.infer<typeof event>;
