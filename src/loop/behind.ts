/** What a loop does whose candidate was proved on a base that has gone on since: the base is merged and all is proved again, or people are told. Pure. */
import type { EventOf } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { LIMITS, PROOF } from './phases.ts';
import type { Outdated } from './shipping-record.ts';
import type { StartedLoop } from './stages.ts';
import { close, enter, onBase } from './walk.ts';

/** What a move of the base means to what was proved; undefined where nothing of that can depend on it. */
export function advanceOf(event: EventOf<'moved'>): Outdated | undefined {
  const { sha, unlisted, bearing = [], configDigest, forPeople } = event;
  if (!unlisted && bearing.length === 0) return undefined;
  return { sha, unlisted, bearing, configDigest, ...(forPeople && { forPeople }) };
}

/**
 * Whether the base is merged once more, or what was proved is handed over as it is: in a busy repository the base goes on for ever, and workflow files
 * an App cannot merge.
 */
export function mayMergeBase({ counters }: Loop, { forPeople }: Pick<Outdated, 'forPeople'>): boolean {
  return forPeople !== true && (counters.merges ?? 0) < LIMITS.merges + counters.grants;
}

/** `The base moved in src/a.ts since this was verified` */
export function advanceClause({ bearing, unlisted }: Outdated): string {
  const where = unlisted ? 'more files than GitHub lists' : listed(bearing);
  return `The base moved in ${where} since this was verified`;
}

/** Proves the candidate again, merged with the base as it is now. */
export function behind(loop: StartedLoop, event: Outdated & { readonly at: string }): Decision {
  const { at, ...advance } = event;
  const clause = advanceClause(advance);
  const closed = close(onAdvance(loop, advance), {
    ...{ at, outcome: 'cancelled', gates: [], measurements: [] },
    reason: `${clause}.`,
  });
  const counters = { ...closed.counters, merges: (closed.counters.merges ?? 0) + 1 };
  return proveAgain({ ...closed, counters }, at, `${clause}, so it is merged and everything is proved again.`);
}

/** Enters the phase of the proof for what was proved before: no try of the builder's is counted. */
export function proveAgain(loop: StartedLoop, at: string, note: string): Decision {
  return enter({ ...loop, note }, PROOF, at, 'again');
}

type ConfiguredBase = Pick<Outdated, 'sha' | 'configDigest'>;

/** The loop on the base as it is now, with the configuration there. */
export function onAdvance(loop: StartedLoop, base: ConfiguredBase): StartedLoop {
  return onBase(withConfigOf(loop, base), base.sha);
}

/** A configuration that changed is the loop's from now on; what was bound to the earlier one is void. */
export function withConfigOf(loop: StartedLoop, { configDigest, sha }: ConfiguredBase): StartedLoop {
  const { started } = loop;
  return configDigest === started.config.digest
    ? loop
    : { ...loop, started: { ...started, config: { digest: configDigest, sha } } };
}

/** At most three, and how many more. */
export function listed(paths: readonly string[]): string {
  const more = paths.length - 3;
  return `${paths.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
