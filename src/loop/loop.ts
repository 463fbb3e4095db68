/**
 * The vocabulary of one loop: what it remembers, what can happen to it, what it can ask for.
 *
 * loop: one issue's journey · phase: a stage of it · entry: one stay in a phase, numbered loop-wide · iteration: one BUILD entry with what follows ·
 * round: DEFINE to ARCH_REVIEW · event: something that happened · effect: something to be done · packet: the documents that people approve ·
 * candidate: a commit that is judged before it is on the branch · board: the status text.
 */
import { z } from 'zod';
import { interview, reflection, surface, task } from './answers.ts';
import { modelCall } from './brief.ts';
import { commitSha, defect, digest, measurement } from './measurement.ts';

export const phaseName = z.enum([
  'DISCOVER',
  'DEFINE',
  'PLAN',
  'ARCH_REVIEW',
  'BUILD',
  'SEED_DATA',
  'VERIFY',
  'SHIP',
  'REFLECT',
]);
export type PhaseName = z.infer<typeof phaseName>;

export const role = z.enum(['none', 'read', 'triage', 'write', 'maintain', 'admin']);
export type Role = z.infer<typeof role>;

/** Who did it: a GitHub account. Only `User` accounts are people. */
export const actor = z.strictObject({ id: z.int(), login: z.string(), type: z.enum(['User', 'Bot', 'Organization']) });
export type Actor = z.infer<typeof actor>;

/** USD per million tokens; a model whose price nobody stated has none, and its cost is shown as unknown. */
export const price = z.strictObject({ prompt: z.number().nonnegative(), completion: z.number().nonnegative() });
export type Price = z.infer<typeof price>;

/** Which issue a loop belongs to, and the installation whose token may touch it. `n` is 1 for the issue's first loop. */
export const loopRef = z.strictObject({
  installationId: z.int(),
  repositoryId: z.int(),
  owner: z.string(),
  repo: z.string(),
  issue: z.int(),
  n: z.int().positive(),
});
export type LoopRef = z.infer<typeof loopRef>;

export const document = z.strictObject({ path: z.string(), digest });
export type Document = z.infer<typeof document>;

export const lane = z.enum(['trivial', 'bug', 'feature']);
export type Lane = z.infer<typeof lane>;

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

/** An action for the outside world; the adapters make repeating it with the same `key` harmless. `lane` orders it: one at a time per lane. */
const effectBase = { key: z.string() };
export const effect = z.discriminatedUnion('type', [
  /** A phase's own work in the App. */
  z.strictObject({ type: z.literal('draft'), ...effectBase, phase: phaseName, entry: z.int() }),
  /** Commits the packet, opens the draft pull request, posts the packet comment. */
  z.strictObject({ type: z.literal('publish'), ...effectBase, entry: z.int() }),
  z.strictObject({ type: z.literal('dispatch'), ...effectBase, phase: z.enum(['BUILD', 'VERIFY']), entry: z.int() }),
  /** Pulls the report of a run. */
  z.strictObject({
    type: z.literal('collect'),
    ...effectBase,
    phase: z.enum(['BUILD', 'SEED_DATA', 'VERIFY']),
    entry: z.int(),
    runId: z.int(),
  }),
  /** Commits the candidate on the quarantine ref. */
  z.strictObject({ type: z.literal('land'), ...effectBase, entry: z.int() }),
  /** Moves the branch to the evidence commit on top of the candidate. */
  z.strictObject({ type: z.literal('promote'), ...effectBase, entry: z.int() }),
  /** Reads the repository's own checks on the head; comes back as `checked`, or undefined while they run. */
  z.strictObject({ type: z.literal('inspect'), ...effectBase, entry: z.int() }),
  /** Takes the pull request out of draft. */
  z.strictObject({ type: z.literal('ready'), ...effectBase, entry: z.int() }),
  z.strictObject({ type: z.literal('cancel'), ...effectBase, runId: z.int() }),
  /** Looks for the outcome of a run that never reported. */
  z.strictObject({
    type: z.literal('wait'),
    ...effectBase,
    entry: z.int(),
    timer: z.enum(['run', 'checks']),
    seconds: z.number(),
  }),
  z.strictObject({
    type: z.literal('react'),
    ...effectBase,
    commentId: z.int(),
    content: z.enum(['+1', 'confused', 'eyes']),
  }),
  z.strictObject({
    type: z.literal('reply'),
    ...effectBase,
    target: z.enum(['issue', 'pull']),
    text: z.string(),
    mention: z.string().optional(),
  }),
  /** Longer texts that are rendered when they are said. */
  z.strictObject({ type: z.literal('tell'), ...effectBase, what: z.enum(['status', 'help', 'problem']) }),
  z.strictObject({ type: z.literal('ask'), ...effectBase, interview: z.int() }),
  z.strictObject({ type: z.literal('unlabel'), ...effectBase, name: z.string() }),
  /** Brings the sticky comment, the pull request's text and the four check runs to what the loop says. */
  z.strictObject({ type: z.literal('show'), ...effectBase }),
]);
export type Effect = z.infer<typeof effect>;

/** Effects of the lane `work` may take minutes; `voice` answers people meanwhile. Within a lane they run in order, one at a time. */
export const EFFECT_LANES = {
  draft: 'work',
  publish: 'work',
  dispatch: 'work',
  collect: 'work',
  land: 'work',
  promote: 'work',
  inspect: 'work',
  ready: 'work',
  wait: 'work',
  cancel: 'voice',
  react: 'voice',
  reply: 'voice',
  tell: 'voice',
  ask: 'voice',
  unlabel: 'voice',
  show: 'voice',
} as const satisfies Record<Effect['type'], 'work' | 'voice'>;
export type EffectLane = (typeof EFFECT_LANES)[Effect['type']];

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
  }),
  /** A person pushed to the loop branch. */
  z.strictObject({
    type: z.literal('pushed'),
    at,
    by: actor,
    sha: commitSha,
    codeTree: commitSha,
    documentsChanged: z.boolean(),
  }),
  /** The default branch moved. */
  z.strictObject({ type: z.literal('moved'), at, sha: commitSha, paths: z.array(z.string()) }),
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
    digest,
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
    signature: z.string(),
  }),
  z.strictObject({ type: z.literal('landed'), ...ofEntry, candidate: commitSha, codeTree: commitSha }),
  z.strictObject({ type: z.literal('promoted'), ...ofEntry, head: commitSha }),
  z.strictObject({
    type: z.literal('checked'),
    ...ofEntry,
    measurements: z.array(measurement),
    defects: z.array(defect),
  }),
  z.strictObject({ type: z.literal('readied'), ...ofEntry }),
  z.strictObject({ type: z.literal('elapsed'), ...ofEntry, timer: z.enum(['run', 'checks']) }),
  /** An effect could not do its work. `cause: model` and `setup` need a person; `work` is retried within its limit; `moved` means the ground moved under it. */
  z.strictObject({
    type: z.literal('failed'),
    ...ofEntry,
    cause: z.enum(['model', 'setup', 'work', 'cancelled', 'moved', 'safety']),
    reason: z.string(),
    calls: z.array(modelCall),
  }),
]);
export type Event = z.infer<typeof event>;

export const status = z.enum(['idle', 'working', 'waiting', 'paused', 'succeeded', 'stopped']);
export type Status = z.infer<typeof status>;

export const loop = z.strictObject({
  schema: z.literal(1),
  ref: loopRef,
  status,
  /** What a waiting loop waits for. */
  waitingFor: z.enum(['answers', 'approval', 'release']).optional(),
  /** Where a paused loop goes on. */
  pausedFrom: z.enum(['working', 'waiting']).optional(),
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
  publishedAt: z.string().optional(),
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

/** Human name of a loop: `acme/shop#12`, `acme/shop#12-2` for the second loop of an issue. */
export function nameOf(ref: LoopRef): string {
  return `${ref.owner}/${ref.repo}#${ref.issue}${ref.n > 1 ? `-${ref.n}` : ''}`;
}

/** Storage id of a loop; survives renames of the repository. */
export function idOf(ref: LoopRef): string {
  return `${ref.repositoryId}/${ref.issue}/${ref.n}`;
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
    entries: [],
    spent: { calls: 0, callsOutsideBuild: 0, promptTokens: 0, completionTokens: 0, usd: 0 },
    priority: 'routine',
    note: '',
    pending: [],
  };
}
