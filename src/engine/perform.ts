/** Carries out one effect through the ports and says what happened, if it is known already. */

import { collect } from '../effects/collect.ts';
import { dispatch } from '../effects/dispatch.ts';
import { draft } from '../effects/draft.ts';
import { inspect } from '../effects/inspect.ts';
import { land } from '../effects/land.ts';
import { promote } from '../effects/promote.ts';
import { publish } from '../effects/publish.ts';
import { ask, show, tell } from '../effects/show.ts';
import { ArtifactError, ConfigError, LoopError, ModelError, WriteRefusedError } from '../errors.ts';
import type { Effect } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';

type Performers = {
  readonly [Type in Effect['type']]: (
    effect: Extract<Effect, { type: Type }>,
    loop: Loop,
    ports: Ports,
  ) => Promise<Event | undefined>;
};

const PERFORMERS: Performers = {
  draft: (effect, loop, ports) => draft(effect.phase, loop, ports),
  publish: (_, loop, ports) => publish(loop, ports),
  dispatch: (effect, loop, ports) => dispatch(effect.phase, loop, ports),
  collect: (effect, loop, ports) => collect(effect, loop, ports),
  land: (_, loop, ports) => land(loop, ports),
  promote: (_, loop, ports) => promote(loop, ports),
  inspect: (_, loop, ports) => inspect(loop, ports),
  async ready(effect, loop, { github, clock }) {
    await github.markReady(loop.ref, loop.pullNodeId ?? '');
    return { type: 'readied', at: clock.now().toISOString(), entry: effect.entry };
  },
  async wait({ key, entry, timer, seconds }, loop, { queue }) {
    await queue.send({ type: 'elapse', loopId: idOf(loop.ref), key, entry, timer }, seconds);
    return undefined;
  },
  async cancel({ runId }, loop, { github }) {
    await github.cancelRun(loop.ref, runId);
    return undefined;
  },
  async react({ commentId, content }, loop, { github }) {
    await github.react(loop.ref, commentId, content);
    return undefined;
  },
  async reply({ key, target, text, mention }, loop, { github }) {
    await github.comment(loop.ref, target === 'pull' ? (loop.pull ?? loop.ref.issue) : loop.ref.issue, {
      marker: `${loop.ref.n}/${key}`,
      body: text,
      ...(mention === undefined ? {} : { mention: [mention] }),
    });
    return undefined;
  },
  tell,
  ask,
  async unlabel({ name }, loop, { github }) {
    await github.removeLabel(loop.ref, loop.ref.issue, name);
    return undefined;
  },
  show: (_, loop, ports) => show(loop, ports),
};

/**
 * Performs an effect. Failures that a person or another try can mend come back as a `failed` event; anything else is thrown,
 * and the queue tries again later.
 */
export async function perform(effect: Effect, loop: Loop, ports: Ports): Promise<Event | undefined> {
  const performer: (effect: never, loop: Loop, ports: Ports) => Promise<Event | undefined> = PERFORMERS[effect.type];
  try {
    return await Reflect.apply(performer, undefined, [effect, loop, ports]);
  } catch (error) {
    if (!('entry' in effect) || !(error instanceof LoopError)) throw error;
    const cause = causeOf(error);
    if (cause === undefined) throw error;
    const calls = error instanceof ModelError ? [...error.calls] : [];
    return {
      type: 'failed',
      at: ports.clock.now().toISOString(),
      entry: effect.entry,
      cause,
      reason: error.message,
      calls,
    };
  }
}

/** Which errors end or redirect the entry; undefined = try the effect again later. */
function causeOf(error: LoopError): Extract<Event, { type: 'failed' }>['cause'] | undefined {
  if (error instanceof ModelError) return 'model';
  if (error instanceof ConfigError) return 'setup';
  if (error instanceof ArtifactError) return 'safety';
  if (error instanceof WriteRefusedError) return 'setup';
  return undefined;
}
