/** What can happen to a loop: events. */
import { z } from 'zod';
import { interview, supersededTest, surface, task } from '../documents/documents.ts';
import { reflection } from './answers.ts';
import { bookedCall } from './brief.ts';
import { effectLane } from './effect.ts';
import { goal } from './goal.ts';
import { behind, moved, pushed } from './ground-events.ts';
import { answered, commitSha, defect, digest, excusedCheck, measurement, thresholds } from './measurement.ts';
import { commandName } from './people/commands.ts';
import { outdated } from './shipping-record.ts';
import { actor, document, lane, limits, price, role, strengthPolicy } from './terms.ts';
import { toolName } from './tools.ts';

const at = z.iso.datetime();
const bySomebody = { at, by: actor, role, commentId: z.int().optional() };
const ofEntry = { at, entry: z.int() };

/** Set when another loop of the issue was started after this one; `pull` is its pull request. */
const newer = z.strictObject({ pull: z.int().optional() }).optional();
/** How the loop's pull request stands, read afresh where that decides. */
const pullState = z.enum(['open', 'closed', 'merged']).optional();

/** Something that happened: past participles. A late or repeated event does not apply and changes nothing. */
export const event = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('labelled'),
    ...bySomebody,
    issue: z.strictObject({ title: z.string(), body: z.string(), author: actor }),
    /** When the label was set, as GitHub tells it. */
    setAt: z.string().optional(),
    base: z.strictObject({ branch: z.string(), sha: commitSha }),
    configDigest: digest,
    /** Why the goal or the configuration is refused; one sentence with the remedy. */
    refusal: z.string().optional(),
    limits,
    /** The numbers of the gates. */
    thresholds: thresholds.optional(),
    /** As the configuration says. */
    strength: strengthPolicy.optional(),
    /** The goal block of the issue, where it has one. */
    goal: goal.optional(),
    lane,
    branch: z.string(),
    price: price.optional(),
  }),
  /** What happened before would have set it to work, and there was no free slot. */
  z.strictObject({ type: z.literal('queued'), at }),
  /** A slot is free for it. */
  z.strictObject({ type: z.literal('admitted'), at }),
  z.strictObject({ type: z.literal('unlabelled'), ...bySomebody }),
  /** The issue was closed. */
  z.strictObject({ type: z.literal('closed'), ...bySomebody }),
  /** The pull request was closed, merged or its branch deleted, or the issue is gone; `by` is unknown where the App found it so itself. */
  z.strictObject({
    type: z.literal('ended'),
    at,
    by: actor.optional(),
    how: z.enum([
      'pull request closed',
      'pull request merged',
      'branch deleted',
      'issue deleted',
      'issue moved to another repository',
    ]),
  }),
  z.strictObject({
    type: z.literal('commanded'),
    ...bySomebody,
    /** As the how manieth command of its comment, from 0. */
    position: z.int().optional(),
    /** True where it was said on the issue, and not on the pull request. */
    onIssue: z.literal(true).optional(),
    /** So many commands stand below it in its comment that were not read. */
    unread: z.int().positive().optional(),
    /** More of what was said in its comment follows; that is answered as a whole. */
    more: z.literal(true).optional(),
    command: commandName,
    argument: z.string(),
    permitted: z.boolean(),
    createdAt: z.string(),
    newer,
    pull: pullState,
  }),
  /** A line of a comment that was meant as a command and is none; it comes after the commands of its comment. */
  z.strictObject({
    type: z.literal('misspelt'),
    ...bySomebody,
    onIssue: z.literal(true).optional(),
    written: z.string(),
    meant: commandName,
  }),
  /** A button of a check run; `digest` is the one on the button. */
  z.strictObject({
    type: z.literal('pressed'),
    ...bySomebody,
    button: z.enum(['approve', 'rerun']),
    digest: z.string(),
  }),
  /** A review on the pull request; `comments` is what it says line by line. */
  z.strictObject({
    type: z.literal('reviewed'),
    ...bySomebody,
    state: z.enum(['approved', 'changes_requested', 'commented']),
    body: z.string(),
    comments: z
      .array(z.strictObject({ file: z.string(), line: z.int().positive().optional(), body: z.string() }))
      .optional(),
    submittedAt: z.string(),
    newer,
    pull: pullState,
  }),
  pushed,
  moved,
  behind,
  /** The repository has another name, owner or installation now; its id is the same. */
  z.strictObject({
    type: z.literal('relocated'),
    at,
    installationId: z.int(),
    owner: z.string(),
    repo: z.string(),
  }),
  /** The App may not do its work in the repository for now: what is to be done in these lanes waits. */
  z.strictObject({ type: z.literal('withheld'), at, reason: z.string(), lanes: z.array(effectLane) }),
  /** It may again. */
  z.strictObject({ type: z.literal('regained'), at }),
  /** Something happened to checks of this commit that are not the App's own. It costs no request: the one timer of the checks takes it into account. */
  z.strictObject({ type: z.literal('heard'), at, sha: commitSha }),
  /** A run of our own workflows was seen whose title names this loop and entry, and which no loop is known to wait for. */
  z.strictObject({ type: z.literal('surfaced'), at, runId: z.int(), entry: z.int() }),
  z.strictObject({
    type: z.literal('asked'),
    ...ofEntry,
    questions: z.array(interview.shape.questions.element),
    calls: z.array(bookedCall),
  }),
  z.strictObject({
    type: z.literal('drafted'),
    ...ofEntry,
    documents: z.array(document),
    measurements: z.array(measurement),
    defects: z.array(defect),
    calls: z.array(bookedCall),
    /** Facts that later decisions need; each phase gives its own. */
    surface: surface.optional(),
    tasks: z.array(task).optional(),
    supersededTests: z.array(supersededTest).optional(),
    requirementIds: z.array(z.string()).optional(),
    promotion: z.strictObject({ by: z.enum(['auto', 'person']), why: z.string() }).optional(),
    lessons: reflection.shape.lessons.optional(),
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
    calls: z.array(bookedCall),
    sandbox: z.enum(['bubblewrap', 'none']),
    /** Digests of the stored report and of what it proposes. */
    report: digest,
    /** The same for failures that are the same; empty when nothing failed. */
    signature: z.string(),
    /** A build that changed nothing of what was judged and failed. */
    unchanged: z.literal(true).optional(),
    /** What VERIFY had to run beside the tests. */
    tools: z.array(toolName).optional(),
  }),
  z.strictObject({
    type: z.literal('landed'),
    ...ofEntry,
    candidate: commitSha,
    codeTree: commitSha,
    /** Of the branch, where the candidate is on it: a base that was merged into what was proved before. */
    head: commitSha.optional(),
  }),
  z.strictObject({ type: z.literal('promoted'), ...ofEntry, head: commitSha }),
  z.strictObject({
    type: z.literal('checked'),
    ...ofEntry,
    measurements: z.array(measurement),
    defects: z.array(defect),
    signature: z.string(),
    /** Checks that are red at a commit without the change too; they are told, and blamed on nobody. */
    excused: z.array(excusedCheck).optional(),
  }),
  z.strictObject({ type: z.literal('readied'), ...ofEntry, outdated: outdated.optional() }),
  /** Not all of the repository's checks are done; `changedAt` is when one of them last changed, as GitHub tells it. */
  z.strictObject({
    type: z.literal('deferred'),
    ...ofEntry,
    waitsFor: z.array(z.string()),
    /** Checks that ended without a verdict, where nothing else is wrong: only a person can run them again. */
    rerun: z.array(z.string()).optional(),
    changedAt: z.string().optional(),
  }),
  /** A timer ended; one that another has replaced means nothing. `key` is that of the effect that set it. */
  z.strictObject({ type: z.literal('elapsed'), ...ofEntry, timer: z.enum(['run', 'checks']), key: z.string() }),
  /** Model calls that led to nothing, because what came after them failed and is tried again, or the process was killed that had made them. */
  z.strictObject({ type: z.literal('paid'), at, calls: z.array(bookedCall) }),
  /** An effect could not do its work. `cause: model`, `setup` and `conflict` need a person; `work` is retried within its limit; after `budget` the loop waits for more. */
  z.strictObject({
    type: z.literal('failed'),
    ...ofEntry,
    cause: z.enum(['model', 'setup', 'work', 'cancelled', 'conflict', 'safety', 'budget']),
    reason: z.string(),
    calls: z.array(bookedCall),
    /** Of a BUILD that failed with some tasks done: the stored report, from which the next one goes on. */
    report: digest.optional(),
    /** Of a draft that failed: what it had been answered until then. */
    answered: z.array(answered).optional(),
  }),
]);
export type Event = z.infer<typeof event>;

/** An event of one type; of a union of types, the union of their events. */
export type EventOf<Type extends Event['type'] = Event['type']> = {
  [One in Type]: Extract<Event, { type: One }>;
}[Type];
