/** What the readers of webhooks have in common: one a webhook, from its payload to what it means to loops. */
import type { HearMeanwhile } from '../engine/standing.ts';
import { NotYetError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Actor, LoopRef, Role } from '../loop/terms.ts';
import { isPerson } from '../loop/terms.ts';
import type { Ports, StoredLoop } from '../ports.ts';
import type { PayloadName, PayloadOf } from './payloads.ts';
import type { Place } from './place.ts';

/** What a webhook means to one loop. */
export interface Meaning {
  /** With the place where the repository is now. */
  readonly ref: LoopRef;
  readonly event: Event;
  /** As the how manieth thing the delivery itself says it to this loop, from 0; given where it can say several. */
  readonly position?: number;
  /** As in `Source`: given where somebody said or did it, and it has an id of its own. */
  readonly said?: string | undefined;
}

export interface Taking {
  /** When the delivery arrived. */
  readonly at: string;
  readonly ports: Ports;
  readonly hearMeanwhile: HearMeanwhile;
}

/** GitHub's API may be behind its webhooks for a moment. */
const BEHIND_MS = 15_000;

/**
 * Call it where GitHub answers otherwise than the webhook says: something else has happened since, or GitHub does not show it yet. After a moment its
 * answer holds. @throws {NotYetError} while that moment lasts.
 */
export function afterAMoment(contradiction: string, taking: Taking): void {
  whileNew(`${contradiction}, otherwise than its webhook says`, taking);
}

/** Call it where what is in the way may be over in a moment. @throws {NotYetError} while that moment lasts. */
export function whileNew(obstacle: string, { at, ports }: Taking): void {
  if (ports.clock.now().getTime() - Date.parse(at) < BEHIND_MS)
    throw new NotYetError(`${obstacle}; it is asked again.`);
}

export type Reader<Name extends PayloadName> = (
  payload: PayloadOf<Name>,
  taking: Taking,
) => Promise<readonly Meaning[]>;

export type Readers<Names extends PayloadName> = { readonly [Name in Names]: Reader<Name> };

/** What is read for a stored loop; nothing where there is none, or where `read` finds that it says nothing. */
export async function ofStored(
  stored: StoredLoop | undefined,
  place: Place,
  read: (ref: LoopRef, loop: Loop) => Promise<Event | undefined>,
): Promise<readonly Meaning[]> {
  if (stored === undefined) return [];
  const ref = await place.of(stored.loop.ref);
  const event = await read(ref, stored.loop);
  return event === undefined ? [] : [{ ref, event }];
}

/** The same, as something that is said once. */
export function saying(said: string | undefined, meanings: readonly Meaning[]): readonly Meaning[] {
  return meanings.map((meaning) => ({ ...meaning, said }));
}

/** Whether nothing is under way: never started, or ended. */
export function isAtRest({ status }: Loop): boolean {
  return status === 'idle' || status === 'succeeded' || status === 'stopped';
}

/** Only people have a role; it is read afresh. */
export async function roleOf(ref: RepositoryRef, by: Actor, { github }: Ports): Promise<Role> {
  return isPerson(by) ? github.permission(ref, by.login) : 'none';
}
