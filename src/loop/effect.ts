/** What a loop can ask for: effects, and what each is for the loop. */
import { z } from 'zod';
import { phaseName } from './terms.ts';

/** An action for the outside world; the adapters make repeating it with the same `key` harmless. `lane` orders it: one at a time per lane. */
const effectBase = { key: z.string() };
export const effect = z.discriminatedUnion('type', [
  /** A phase's own work in the App. */
  z.strictObject({ type: z.literal('draft'), ...effectBase, phase: phaseName, entry: z.int() }),
  /** Commits the packet, opens the draft pull request, posts the packet comment. */
  z.strictObject({ type: z.literal('publish'), ...effectBase, entry: z.int() }),
  z.strictObject({ type: z.literal('dispatch'), ...effectBase, job: z.enum(['build', 'verify']), entry: z.int() }),
  /** Pulls the report of a run. */
  z.strictObject({
    type: z.literal('collect'),
    ...effectBase,
    phase: phaseName,
    report: z.enum(['build', 'seed', 'verify']),
    entry: z.int(),
    runId: z.int(),
    /** The run ended, or its time is up: then it is cancelled. */
    because: z.enum(['ended', 'overdue']),
  }),
  /** Commits the candidate on the quarantine ref. */
  z.strictObject({ type: z.literal('land'), ...effectBase, entry: z.int() }),
  /** Moves the branch to the evidence commit on top of the candidate. */
  z.strictObject({ type: z.literal('promote'), ...effectBase, entry: z.int() }),
  /** Reads the repository's own checks on the head; comes back as `checked`, or as `deferred` while they run. */
  z.strictObject({ type: z.literal('inspect'), ...effectBase, entry: z.int() }),
  /** Takes the pull request out of draft. */
  z.strictObject({ type: z.literal('ready'), ...effectBase, entry: z.int() }),
  /** Turns the pull request, which was ready, back to draft. */
  z.strictObject({ type: z.literal('redraft'), ...effectBase, entry: z.int() }),
  z.strictObject({ type: z.literal('cancel'), ...effectBase, runId: z.int() }),
  /** Sets a timer: `run` gives a run up whose time is over, `checks` looks at the repository's own checks. */
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
    content: z.enum(['+1', 'confused']),
  }),
  z.strictObject({
    type: z.literal('reply'),
    ...effectBase,
    target: z.enum(['issue', 'pull']),
    text: z.string(),
    mention: z.string().optional(),
  }),
  /** Longer texts that are rendered when they are said. */
  z.strictObject({
    type: z.literal('tell'),
    ...effectBase,
    what: z.enum(['status', 'help', 'problem']),
    /** What is said above it, and what is told below it. */
    said: z.string().optional(),
    also: z.array(z.enum(['status', 'help'])).optional(),
    /** Where it was asked for; without, where the conversation is. */
    target: z.literal('issue').optional(),
  }),
  z.strictObject({ type: z.literal('ask'), ...effectBase, entry: z.int(), interview: z.int() }),
  z.strictObject({ type: z.literal('unlabel'), ...effectBase, name: z.string() }),
  /** Brings the sticky comment, the pull request's text and the four check runs to what the loop says; `since` is when that changed. */
  z.strictObject({ type: z.literal('show'), ...effectBase, since: z.string().optional() }),
]);
export type Effect = z.infer<typeof effect>;

export const effectLane = z.enum(['work', 'voice', 'cancel']);
export type EffectLane = z.infer<typeof effectLane>;

interface EffectTraits {
  /** Within a lane effects are performed in order: `work` may take minutes, `voice` answers people meanwhile, `cancel` waits behind nothing. */
  readonly lane: EffectLane;
  /** What it means that no further try can help: the entry failed and people are told why, or the effect is dropped and the log says so. */
  readonly refused: 'failed' | 'dropped';
  /** For how many hours a GitHub that does not answer is asked, a try a minute. */
  readonly hours: number;
  /** Is not the work of one entry: it is done whatever becomes of that, also while the loop is held. */
  readonly lasting?: true;
  /** What people should look at when GitHub does not have what the effect needs. */
  readonly lookAt?: string;
}

/** What a phase waits for outlives a bad day at GitHub; an answer to somebody is worth an hour. */
const WAITED_FOR = { lane: 'work', refused: 'failed', hours: 24 } as const;
const SAID = { lane: 'voice', refused: 'dropped', hours: 1 } as const;

/** What each effect is for its loop: where it is performed, and what becomes of it when it cannot be. */
export const EFFECTS: { readonly [Type in Effect['type']]: EffectTraits } = {
  draft: WAITED_FOR,
  publish: WAITED_FOR,
  dispatch: {
    ...WAITED_FOR,
    lookAt: "See that Loopwright's two workflow files are on the default branch (`loopwright init` writes them).",
  },
  collect: WAITED_FOR,
  land: WAITED_FOR,
  promote: WAITED_FOR,
  inspect: WAITED_FOR,
  ready: WAITED_FOR,
  // Until it is a draft again, somebody may merge what was sent back.
  redraft: { ...WAITED_FOR, lasting: true },
  wait: WAITED_FOR,
  // A phase waits for the answers: questions that nobody sees, nobody can answer.
  ask: { ...WAITED_FOR, lane: 'voice' },
  // A run that is not ended goes on spending.
  cancel: { lane: 'cancel', refused: 'dropped', hours: 24 },
  react: SAID,
  reply: SAID,
  tell: SAID,
  unlabel: SAID,
  show: SAID,
};

/** The lane in which an effect is performed. */
export function laneOf({ type }: Pick<Effect, 'type'>): EffectLane {
  return EFFECTS[type].lane;
}

/** Whether an effect is work that waits while the loop is held, and that nobody awaits once its entry has ended. */
export function isHeldWork({ type }: Pick<Effect, 'type'>): boolean {
  const { lane, lasting } = EFFECTS[type];
  return lane === 'work' && lasting !== true;
}

/** An effect of one type; of a union of types, the union of their effects. */
export type EffectOf<Type extends Effect['type'] = Effect['type']> = {
  [One in Type]: Extract<Effect, { type: One }>;
}[Type];
