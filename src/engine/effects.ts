/** Every effect as a row: who performs it, at which stage of a loop, and what it means when GitHub or we ourselves fail at it. */
import { ask } from '../effects/ask.ts';
import { cancel } from '../effects/cancel.ts';
import { collect } from '../effects/collect.ts';
import { dispatch } from '../effects/dispatch.ts';
import { draft } from '../effects/draft.ts';
import { inspect } from '../effects/inspect.ts';
import { land } from '../effects/land.ts';
import { promote } from '../effects/promote.ts';
import { publish } from '../effects/publish.ts';
import { react } from '../effects/react.ts';
import { ready } from '../effects/ready.ts';
import { reply } from '../effects/reply.ts';
import { show } from '../effects/show.ts';
import { tell } from '../effects/tell.ts';
import { unlabel } from '../effects/unlabel.ts';
import { wait } from '../effects/wait.ts';
import { EFFECT_LANES, type Effect, type EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { asBuilt, asReviewed, asStarted } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

/** What an effect is given beside itself: the loop as it is stored, the world, and how often it was tried, from 1. */
export interface Performance {
  readonly loop: Loop;
  readonly ports: Ports;
  readonly attempt: number;
}

export interface EffectRow<Type extends Effect['type'] = Effect['type']> {
  readonly perform: (effect: EffectOf<Type>, performance: Performance) => Promise<Event | undefined>;
  /** What a refusal that no further try can change means: the entry failed and people are told why, or the effect is dropped and the log says so. */
  readonly refused: 'failed' | 'dropped';
  /** What people should look at when GitHub does not have what the effect needs. */
  readonly lookAt?: string;
}

type Effects = { readonly [Type in Effect['type']]: EffectRow<Type> };

export const EFFECTS: Effects = {
  draft: { perform: on(asStarted, draft), refused: 'failed' },
  publish: { perform: on(asStarted, publish), refused: 'failed' },
  dispatch: {
    perform: on(asReviewed, dispatch),
    refused: 'failed',
    lookAt: "See that Loopwright's two workflow files are on the default branch (`loopwright init` writes them).",
  },
  collect: { perform: on(asReviewed, collect), refused: 'failed' },
  land: { perform: on(asReviewed, land), refused: 'failed' },
  promote: { perform: on(asBuilt, promote), refused: 'failed' },
  inspect: { perform: on(asReviewed, inspect), refused: 'failed' },
  ready: { perform: on(asReviewed, ready), refused: 'failed' },
  wait: { perform: on(asStarted, wait), refused: 'failed' },
  // Nobody would ever see the questions, so nobody could answer them.
  ask: { perform: on(asStarted, ask), refused: 'failed' },
  cancel: { perform: on(asIs, cancel), refused: 'dropped' },
  react: { perform: on(asIs, react), refused: 'dropped' },
  reply: { perform: on(asIs, reply), refused: 'dropped' },
  tell: { perform: on(asIs, tell), refused: 'dropped' },
  unlabel: { perform: on(asIs, unlabel), refused: 'dropped' },
  show: { perform: on(asIs, show), refused: 'dropped' },
};

/** The lane in which an effect is performed. */
export function laneOf({ type }: Effect): (typeof EFFECT_LANES)[Effect['type']] {
  return EFFECT_LANES[type];
}

/** Has the row of an effect perform it. */
export function performRow<Type extends Effect['type']>(
  effect: EffectOf<Type>,
  performance: Performance,
): Promise<Event | undefined> {
  const rows: { readonly [One in Effect['type']]: EffectRow<One> } = EFFECTS;
  return rows[effect.type].perform(effect, performance);
}

/** A performer that asks for a stage of the loop is given that stage. */
function on<Type extends Effect['type'], Stage extends Loop>(
  stageOf: (loop: Loop) => Stage,
  perform: (effect: EffectOf<Type>, loop: Stage, ports: Ports, attempt: number) => Promise<Event | undefined>,
): EffectRow<Type>['perform'] {
  return (effect, { loop, ports, attempt }) => perform(effect, stageOf(loop), ports, attempt);
}

function asIs(loop: Loop): Loop {
  return loop;
}
