/** Walks a loop of the made-up world: effects come to outcomes drawn at random, timers elapse, people act and interfere. */
import { decide, settle } from '../../src/loop/decide.ts';
import { type Effect, type EffectOf, isHeldWork } from '../../src/loop/effect.ts';
import type { Event, EventOf } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import type { LoopRef } from '../../src/loop/terms.ts';
import { command, defect, labelledEvent, measured, PERSON, RAW, REF, SHA } from './world.ts';

export interface Odds {
  /** Chance that a phase's work passes its gates. */
  readonly passes: number;
  readonly fails: number;
  readonly approves: number;
  readonly interferes: number;
}

export interface Walk {
  readonly loop: Loop;
  /** What was decided on, in order; refolding it gives the loop. */
  readonly log: readonly Step[];
  readonly steps: number;
}

interface Step {
  readonly event: Event | undefined;
  readonly settled: string | undefined;
}

/** A timer that was set; it elapses once, whether or not another has replaced it. */
type Timer = EffectOf<'wait'> & { readonly dueAt: number };

interface Scene {
  readonly loop: Loop;
  readonly timers: readonly Timer[];
  readonly random: () => number;
  readonly odds: Odds;
  /** In milliseconds. It goes on with every step, and to a timer that is waited for. */
  readonly now: number;
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Walks one loop until it rests or `maxSteps` are used up. */
export function walk(random: () => number, odds: Odds, maxSteps = 2000): Walk {
  const first: Step = { event: labelledEvent(), settled: undefined };
  const log = [first];
  const timers: Timer[] = [];
  let loop = taken(newLoop(REF), first);
  let now = Date.UTC(2026, 0, 1);
  const take = (step: Step): void => {
    log.push(step);
    if (step.event?.type === 'elapsed') {
      const { key } = step.event;
      timers.splice(0, timers.length, ...timers.filter((timer) => timer.key !== key));
    }
    loop = taken(loop, step);
  };
  let steps = 1;
  for (; steps < maxSteps && !isAtRest(loop); steps += 1) {
    now += 60_000;
    if (random() < odds.interferes)
      take({ event: interference({ loop, timers, random, odds, now }), settled: undefined });
    const effect = loop.pending.find((pending) => mayPerform(loop, pending));
    if (effect === undefined) {
      const event = nextOf({ loop, timers, random, odds, now });
      now = Math.max(now, Date.parse(event.at));
      take({ event, settled: undefined });
    } else {
      if (effect.type === 'wait') timers.push({ ...effect, dueAt: now + effect.seconds * 1000 });
      take({ event: outcomeOf(effect, { loop, timers, random, odds, now }), settled: effect.key });
    }
  }
  return { loop, log, steps };
}

/** Folds a log from a new loop. */
export function refold(log: Walk['log'], ref: LoopRef = REF): Loop {
  return log.reduce(taken, newLoop(ref));
}

export function isAtRest({ status, pending }: Loop): boolean {
  return (status === 'succeeded' || status === 'stopped') && pending.length === 0;
}

function taken(loop: Loop, { event, settled }: Step): Loop {
  if (settled !== undefined) return settle(loop, settled, event).loop;
  return event === undefined ? loop : decide(loop, event).loop;
}

/** A loop that is paused or queued starts no work; people are answered and runs are cancelled all the same. */
function mayPerform({ status }: Loop, effect: Effect): boolean {
  return (status !== 'paused' && status !== 'queued') || !isHeldWork(effect);
}

const CAUSES = ['model', 'setup', 'work', 'work', 'work', 'cancelled', 'conflict', 'safety'] as const;

function outcomeOf(effect: Effect, scene: Scene): Event | undefined {
  if (!('entry' in effect)) return undefined;
  const { random, odds, now } = scene;
  const at = timeAt(now);
  if (random() >= odds.fails) return workOf(effect, scene);
  if (['land', 'promote', 'dispatch'].includes(effect.type) && random() < 0.3) return groundMoved(scene);
  const cause = CAUSES[Math.floor(random() * CAUSES.length)] ?? 'work';
  return { type: 'failed', at, entry: effect.entry, cause, reason: `broken ${now}`, calls: [] };
}

/** What an effect comes to that did its work. */
function workOf(effect: Effect & { readonly entry: number }, { loop, random, odds, now }: Scene): Event | undefined {
  const base = { at: timeAt(now), entry: effect.entry };
  const passes = random() < odds.passes;
  const judged = {
    // Now and then what only an earlier phase can mend.
    measurements: measured(loop.phase, passes, loop.entry % 2 === 0 ? 'spec_findings' : undefined),
    defects: passes ? [] : [defect(`defect ${now}`)],
    calls: [],
  };
  switch (effect.type) {
    case 'draft':
      if (loop.phase === 'DISCOVER' && loop.counters.interviews === 0 && random() < 0.5) {
        const questions = [{ question: 'Which?', why: 'It matters', options: [], safeDefault: 'this' }];
        return { type: 'asked', ...base, calls: [], questions };
      }
      return {
        type: 'drafted',
        ...base,
        ...judged,
        documents: [],
        surface: 'http',
        promotion: { by: random() < 0.5 ? 'auto' : 'person', why: 'world' },
      };
    case 'publish': {
      const { usd } = asStarted(loop).started.limits;
      return { type: 'published', ...base, head: SHA, pull: 13, pullNodeId: 'PR_1', commentId: 1, digest: RAW, usd };
    }
    case 'dispatch':
      return { type: 'dispatched', ...base, runId: effect.entry };
    case 'collect': {
      const signature = passes ? '' : `signature ${Math.floor(random() * 50)}`;
      return { type: 'reported', ...base, ...judged, sandbox: 'bubblewrap', report: RAW, signature };
    }
    case 'land':
      return { type: 'landed', ...base, candidate: SHA, codeTree: random() < 0.2 ? SHA : shaOf(now) };
    case 'promote':
      return { type: 'promoted', ...base, head: SHA };
    case 'inspect': {
      if (random() < 0.5) {
        if (random() < 0.2) return { type: 'deferred', ...base, waitsFor: [], rerun: ['e2e'] };
        const changedAt = random() < 0.5 ? { changedAt: base.at } : {};
        return { type: 'deferred', ...base, waitsFor: ['ci / test'], ...changedAt };
      }
      const { defects } = judged;
      const signature = passes ? '' : 'a check is red';
      return { type: 'checked', ...base, measurements: measured('SHIP', passes), defects, signature };
    }
    case 'ready':
      return { type: 'readied', ...base };
    default:
      return undefined;
  }
}

/**
 * What happens when the loop itself has nothing to do: people answer, runs end, timers elapse.
 * @throws {Error} when nothing would ever set the loop going again.
 */
function nextOf({ loop, timers, random, odds, now }: Scene): Event {
  const at = timeAt(now);
  if (loop.status === 'paused') return command('resume', '', at);
  if (loop.status === 'queued') return { type: 'admitted', at };
  if (loop.waitingFor === 'answers') return command('auto', '', at);
  if (loop.waitingFor === 'release') return command('release', '', at);
  if (loop.waitingFor === 'approval')
    return random() < odds.approves
      ? command('approve', '', at)
      : command('reject', random() < 0.5 ? 'plan: smaller' : 'clearer', at);
  const { run } = loop.built;
  const mine = timers.filter(({ entry }) => entry === loop.entry).toSorted((left, right) => left.dueAt - right.dueAt);
  const isOverdue = mine.length > 0 && random() < 0.1;
  if (run?.entry === loop.entry && !isOverdue) return { type: 'completed', at, runId: run.id, conclusion: 'success' };
  const [timer] = mine;
  if (timer === undefined) throw new Error(`nothing sets this loop going again: ${loop.status} in ${loop.phase}`);
  return elapsedAt(timer, Math.max(now, timer.dueAt));
}

function elapsedAt({ entry, timer, key }: Timer, now: number): Event {
  return { type: 'elapsed', at: timeAt(now), entry, timer, key };
}

const REVIEW = { body: '', comments: [{ file: 'src/a.js', line: 3, body: 'Why?' }] };

function interference(scene: Scene): Event {
  const { loop, timers, random, now } = scene;
  const at = timeAt(now);
  const due = timers.filter(({ dueAt }) => dueAt <= now);
  const acts: readonly (() => Event | undefined)[] = [
    () => command('pause', '', at),
    () => command('resume', '', at),
    () => command('context', 'look here', at),
    () => command('budget', '+1', at),
    () => pushedIn(scene),
    () => ({ type: 'unlabelled', at, by: PERSON, role: 'write' }),
    () => labelledEvent({ at }),
    () => movedIn(scene),
    () => ({ type: 'queued', at }),
    () => command('reject', random() < 0.5 ? 'name it better' : 'spec: clearer', at),
    () => ({ type: 'reviewed', at, by: PERSON, role: 'write', state: 'changes_requested', ...REVIEW, submittedAt: at }),
    () => ({ type: 'heard', at, sha: loop.review?.head ?? SHA }),
    () => ({ type: 'surfaced', at, entry: loop.entry, runId: 9000 + Math.floor(random() * 10) }),
    () => {
      const timer = due[Math.floor(random() * due.length)];
      return timer === undefined ? undefined : elapsedAt(timer, now);
    },
  ];
  return acts[Math.floor(random() * acts.length)]?.() ?? command('help', '', at);
}

function pushedIn({ loop, random, now }: Scene): EventOf<'pushed'> {
  const sha = shaOf(Math.floor(random() * 1e6));
  const base = { before: loop.started?.base.sha ?? SHA, after: 'b'.repeat(40) };
  return { type: 'pushed', at: timeAt(now), by: PERSON, sha, codeTree: SHA, documentsChanged: random() < 0.3, base };
}

function movedIn({ random, now }: Scene): EventOf<'moved'> {
  return {
    type: 'moved',
    at: timeAt(now),
    sha: SHA,
    paths: ['src/a.js'],
    unlisted: false,
    sensitive: random() < 0.3 ? ['src/auth.js'] : [],
    configDigest: random() < 0.1 ? `sha256:${'1'.repeat(64)}` : RAW,
  };
}

/** What an effect that reads branch and base finds there itself: a push that no webhook told, or a base that moved under the approval. */
function groundMoved(scene: Scene): Event {
  if (scene.random() < 0.5) {
    const { by: _, ...pushed } = pushedIn(scene);
    return pushed;
  }
  return { ...movedIn(scene), sensitive: ['src/auth.js'] };
}

function timeAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function shaOf(number: number): string {
  return number.toString(16).padStart(40, '0');
}
