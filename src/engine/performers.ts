/** Who performs each effect, and at which stage of a loop. */
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
import { redraft } from '../effects/redraft.ts';
import { reply } from '../effects/reply.ts';
import { show } from '../effects/show.ts';
import { tell } from '../effects/tell.ts';
import { unlabel } from '../effects/unlabel.ts';
import { wait } from '../effects/wait.ts';
import type { Effect, EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { asBuilt, asReviewed, asStarted } from '../loop/stages.ts';
import type { Ports, Tries } from '../ports.ts';

/** What an effect is given beside itself: the loop as it is stored, the world, and how often it was tried. */
export interface Performance {
  readonly loop: Loop;
  readonly ports: Ports;
  readonly tries: Tries;
}

type Performer<Type extends Effect['type']> = (
  effect: EffectOf<Type>,
  performance: Performance,
) => Promise<Event | undefined>;
type Performers = { readonly [Type in Effect['type']]: Performer<Type> };

const PERFORMERS: Performers = {
  draft: on(asStarted, draft),
  publish: on(asStarted, publish),
  dispatch: on(asReviewed, dispatch),
  collect: on(asReviewed, collect),
  land: on(asReviewed, land),
  promote: on(asBuilt, promote),
  inspect: on(asReviewed, inspect),
  ready: on(asReviewed, ready),
  redraft: on(asReviewed, redraft),
  wait: on(asStarted, wait),
  ask: on(asStarted, ask),
  cancel: on(asIs, cancel),
  react: on(asIs, react),
  reply: on(asIs, reply),
  tell: on(asIs, tell),
  unlabel: on(asIs, unlabel),
  show: on(asIs, show),
};

/** Has the performer of an effect's type perform it. */
export function performEffect<Type extends Effect['type']>(
  effect: EffectOf<Type>,
  performance: Performance,
): Promise<Event | undefined> {
  const performers: { readonly [One in Effect['type']]: Performer<One> } = PERFORMERS;
  return performers[effect.type](effect, performance);
}

/** A performer that asks for a stage of the loop is given that stage. */
function on<Type extends Effect['type'], Stage extends Loop>(
  stageOf: (loop: Loop) => Stage,
  perform: (effect: EffectOf<Type>, loop: Stage, ports: Ports, attempt: number) => Promise<Event | undefined>,
): Performer<Type> {
  return (effect, { loop, ports, tries }) => perform(effect, stageOf(loop), ports, tries.attempt);
}

function asIs(loop: Loop): Loop {
  return loop;
}
