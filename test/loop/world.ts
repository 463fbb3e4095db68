/** A made-up world for the pure core: it performs effects with outcomes drawn at random and lets people act. No adapters, no clock. */
import type { CommandName } from '../../src/loop/commands.ts';
import { decide, settle } from '../../src/loop/decide.ts';
import { EFFECT_LANES, type Effect } from '../../src/loop/effect.ts';
import type { Event } from '../../src/loop/event.ts';
import { GATES } from '../../src/loop/gates.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import type { Defect, Measurement } from '../../src/loop/measurement.ts';
import type { Actor, LoopRef, PhaseName } from '../../src/loop/terms.ts';

export const REF: LoopRef = { installationId: 1, repositoryId: 7, owner: 'acme', repo: 'shop', issue: 12, n: 1 };
export const PERSON: Actor = { id: 1, login: 'maria', type: 'User' };
export const RAW = `sha256:${'0'.repeat(64)}`;
const SHA = 'a'.repeat(40);

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

export function timeOf(step: number): string {
  return new Date(Date.UTC(2026, 0, 1) + step * 60_000).toISOString();
}

/** Measurements of a phase that pass every gate, or miss one of them. */
export function measured(phase: PhaseName, passes: boolean): Measurement[] {
  return GATES.filter((gate) => gate.phase === phase).map(({ name, operator, threshold }, index) => {
    const good = threshold;
    const bad = operator === '<=' ? threshold + 1 : threshold - 0.5;
    return { name, value: passes || index > 0 ? good : bad, unit: 'score', source: 'world', raw: RAW };
  });
}

export function defect(message: string): Defect {
  return {
    id: message,
    requirement: 'R-1',
    file: null,
    line: null,
    rule: 'test',
    severity: 'blocker',
    message,
    suggestion: null,
  };
}

export function labelledEvent(over: Partial<Extract<Event, { type: 'labelled' }>> = {}): Event {
  return {
    type: 'labelled',
    at: timeOf(0),
    by: PERSON,
    role: 'write',
    issue: { title: 'Add search', body: '', author: PERSON },
    base: { branch: 'main', sha: SHA },
    configDigest: RAW,
    limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
    lane: 'feature',
    branch: 'loopwright/12',
    ...over,
  };
}

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
  readonly log: readonly { readonly event: Event | undefined; readonly settled: string | undefined }[];
  readonly steps: number;
}

/** Walks one loop until it rests or `maxSteps` are used up. */
export function walk(random: () => number, odds: Odds, maxSteps = 2000): Walk {
  const log: { event: Event | undefined; settled: string | undefined }[] = [];
  let loop = newLoop(REF);
  const take = (event: Event | undefined, settled: string | undefined): void => {
    log.push({ event, settled });
    loop =
      settled === undefined
        ? event === undefined
          ? loop
          : decide(loop, event).loop
        : settle(loop, settled, event).loop;
  };
  take(labelledEvent(), undefined);
  let step = 1;
  for (; step < maxSteps && !isAtRest(loop); step += 1) {
    if (random() < odds.interferes) take(interference(loop, random, step), undefined);
    const effect = loop.pending.find(({ type }) => loop.status !== 'paused' || EFFECT_LANES[type] === 'voice');
    if (effect === undefined) take(humanAct(loop, random, odds, step), undefined);
    else take(outcomeOf(effect, loop, { random, odds, step }), effect.key);
  }
  return { loop, log, steps: step };
}

/** Folds a log from a new loop. */
export function refold(log: Walk['log'], ref: LoopRef = REF): Loop {
  return log.reduce((loop, { event, settled }) => {
    if (settled !== undefined) return settle(loop, settled, event).loop;
    return event === undefined ? loop : decide(loop, event).loop;
  }, newLoop(ref));
}

export function isAtRest({ status, pending }: Loop): boolean {
  return (status === 'succeeded' || status === 'stopped') && pending.length === 0;
}

interface Chance {
  readonly random: () => number;
  readonly odds: Odds;
  readonly step: number;
}

function outcomeOf(effect: Effect, loop: Loop, { random, odds, step }: Chance): Event | undefined {
  if (!('entry' in effect)) return undefined;
  const base = { at: timeOf(step), entry: effect.entry };
  if (random() < odds.fails) {
    const causes = ['model', 'setup', 'work', 'work', 'work', 'cancelled', 'moved', 'conflict', 'safety'] as const;
    return {
      type: 'failed',
      ...base,
      cause: causes[Math.floor(random() * causes.length)] ?? 'work',
      reason: `broken ${step}`,
      calls: [],
    };
  }
  const passes = random() < odds.passes;
  const judged = {
    measurements: measured(loop.phase, passes),
    defects: passes ? [] : [defect(`defect ${step}`)],
    calls: [],
  };
  switch (effect.type) {
    case 'draft':
      if (loop.phase === 'DISCOVER' && loop.counters.interviews === 0 && random() < 0.5) {
        return {
          type: 'asked',
          ...base,
          calls: [],
          questions: [{ question: 'Which?', why: 'It matters', options: [], safeDefault: 'this' }],
        };
      }
      return {
        type: 'drafted',
        ...base,
        ...judged,
        documents: [],
        surface: 'http',
        promotion: { by: random() < 0.5 ? 'auto' : 'person', why: 'world' },
      };
    case 'publish':
      return {
        type: 'published',
        ...base,
        head: SHA,
        pull: 13,
        pullNodeId: 'PR_1',
        commentId: 1,
        digest: RAW,
        usd: loop.limits.usd,
      };
    case 'dispatch':
      return { type: 'dispatched', ...base, runId: effect.entry };
    case 'collect':
      return {
        type: 'reported',
        ...base,
        ...judged,
        sandbox: 'bubblewrap',
        report: RAW,
        signature: passes ? '' : `signature ${Math.floor(random() * 50)}`,
      };
    case 'land':
      return {
        type: 'landed',
        ...base,
        candidate: SHA,
        codeTree: random() < 0.2 ? SHA : step.toString(16).padStart(40, '0'),
      };
    case 'promote':
      return { type: 'promoted', ...base, head: SHA };
    case 'inspect':
      return random() < 0.5
        ? undefined
        : {
            type: 'checked',
            ...base,
            measurements: measured('SHIP', passes),
            defects: judged.defects,
            signature: passes ? '' : 'a check is red',
          };
    case 'ready':
      return { type: 'readied', ...base };
    default:
      return undefined;
  }
}

/** What the world does when the loop itself has nothing to do: runs end, timers elapse, people answer. */
function humanAct(loop: Loop, random: () => number, odds: Odds, step: number): Event {
  const at = timeOf(step);
  if (loop.status === 'paused') return command('resume', '', at);
  if (loop.waitingFor === 'answers') return command('auto', '', at);
  if (loop.waitingFor === 'release') return command('release', '', at);
  if (loop.waitingFor === 'approval')
    return random() < odds.approves
      ? command('approve', '', at)
      : command('reject', random() < 0.5 ? 'plan: smaller' : 'clearer', at);
  if (loop.phase === 'SHIP') return { type: 'elapsed', at, entry: loop.entry, timer: 'checks' };
  return loop.run?.entry === loop.entry
    ? { type: 'completed', at, runId: loop.run.id, conclusion: 'success' }
    : { type: 'elapsed', at, entry: loop.entry, timer: 'run' };
}

function interference(loop: Loop, random: () => number, step: number): Event {
  const at = timeOf(step);
  const acts: readonly (() => Event)[] = [
    () => command('pause', '', at),
    () => command('resume', '', at),
    () => command('context', 'look here', at),
    () => command('budget', '+1', at),
    () => ({
      type: 'pushed',
      at,
      by: PERSON,
      sha: Math.floor(random() * 1e6)
        .toString(16)
        .padStart(40, '0'),
      codeTree: SHA,
      documentsChanged: random() < 0.3,
      base: { before: loop.base?.sha ?? SHA, after: 'b'.repeat(40) },
    }),
    () => ({ type: 'unlabelled', at, by: PERSON, role: 'write' }),
    () => labelledEvent({ at }),
    () => ({
      type: 'moved',
      at,
      sha: SHA,
      paths: ['src/a.js'],
      unlisted: false,
      sensitive: random() < 0.3 ? ['src/auth.js'] : [],
      configDigest: random() < 0.1 ? `sha256:${'1'.repeat(64)}` : RAW,
    }),
    () => ({ type: 'elapsed', at, entry: loop.entry - 1, timer: 'run' }),
  ];
  return (acts[Math.floor(random() * acts.length)] ?? (() => command('help', '', at)))();
}

export function command(
  name: CommandName,
  argument: string,
  at: string,
  over: Partial<Extract<Event, { type: 'commanded' }>> = {},
): Event {
  return {
    type: 'commanded',
    at,
    by: PERSON,
    role: 'write',
    commentId: 99,
    command: name,
    argument,
    permitted: true,
    createdAt: at,
    ...over,
  };
}
