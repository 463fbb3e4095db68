/** Takes deliveries in: what a webhook means becomes events of loops. What may have changed since is read back from the API; what somebody said is taken as it was said. */
import { applyOnce } from '../engine/advance.ts';
import type { HearMeanwhile } from '../engine/standing.ts';
import { LimitedError, LoopError, NotYetError } from '../errors.ts';
import type { Event } from '../loop/event.ts';
import type { Delivery, Ports, Source } from '../ports.ts';
import { checkReaders } from './check-readers.ts';
import { commentReader } from './comment-reader.ts';
import { issueReaders } from './issue-readers.ts';
import { type HeadName, takeInHeads } from './lacking-checks.ts';
import { hearMeanwhile } from './meanwhile.ts';
import { takeInOnboardings } from './onboarding-asks.ts';
import { type Payload, type PayloadName, type PayloadOf, payloadOf } from './payloads.ts';
import { isSamePlace, saidOf } from './place.ts';
import { takeInProofs } from './proof-asks.ts';
import { pullReaders } from './pull-readers.ts';
import { pushReaders } from './pushes.ts';
import type { Meaning, Readers, Taking } from './reader.ts';
import { relocationReaders, withRelocations } from './relocation-readers.ts';
import { runReaders } from './run-readers.ts';
import { standingReaders } from './standing-readers.ts';

/** What proofs, onboardings and required checks hear, and what means nothing to a loop. */
const OF_OTHERS: Readers<HeadName | 'pull_request.labeled' | 'merge_group.checks_requested'> = {
  'merge_group.checks_requested': async () => [],
  'pull_request.opened': async () => [],
  'pull_request.edited': async () => [],
  'pull_request.labeled': async () => [],
  'pull_request.reopened': async () => [],
  'pull_request.synchronize': async () => [],
};

const READERS: Readers<PayloadName> = {
  ...OF_OTHERS,
  ...issueReaders,
  ...commentReader,
  ...pullReaders,
  ...checkReaders,
  ...runReaders,
  ...pushReaders,
  ...relocationReaders,
  ...standingReaders,
};

function read<Name extends PayloadName>(payload: PayloadOf<Name>, taking: Taking): Promise<readonly Meaning[]> {
  return READERS[payload.name](payload, taking);
}

type Taken = Pick<Delivery, 'id' | 'name' | 'receivedAt' | 'payload'>;

/**
 * Turns one stored delivery into events and applies them. Repeating it is harmless: what was applied is not applied again. Whatever a delivery says, it
 * is done with: where it cannot be read, the answer is one line that says why. @throws {LoopError} where trying again may help.
 */
export async function takeIn(delivery: Taken, ports: Ports): Promise<string | undefined> {
  const meanings = await meaningsOf(delivery, ports);
  if (typeof meanings === 'string') return meanings;
  for (const { ref, event, ordinal, said } of meanings)
    await applyOnce(ref, event, { delivery: delivery.id, ordinal, once: scopeOf(event), said }, ports);
  const payload = payloadOf(delivery.name, delivery.payload);
  if (payload !== undefined && !('refusal' in payload)) {
    const taking = takingOf(delivery.receivedAt, ports);
    await takeInProofs(payload, taking);
    await takeInOnboardings(payload, taking);
    return readWhereItIs(payload, taking, takeInHeads);
  }
  return undefined;
}

function takingOf(at: string, ports: Ports): Taking {
  return { at, ports, hearMeanwhile: hearingMeanwhile(ports) };
}

/** What cannot be taken in yet stays stored, and is taken in with what else comes of its repository. */
export function hearingMeanwhile(ports: Ports): HearMeanwhile {
  const { store, queue } = ports;
  return (loop) =>
    hearMeanwhile(loop, ports, async (delivery) => {
      const { id, repositoryId = 0 } = delivery;
      try {
        await store.markRead([id], await takeIn(delivery, ports));
      } catch (error) {
        if (!(error instanceof NotYetError)) throw error;
        await queue.send({ type: 'intake', repositoryId });
      }
    });
}

/** A label is for the loop that its issue has just then; everything else may be told to several. What people say has an id of its own. */
function scopeOf({ type }: Event): Source['once'] {
  return type === 'labelled' ? 'by-issue' : 'by-loop';
}

/** What a delivery means, in the order in which it is to be applied; or why it cannot be read. */
export async function meaningsOf(
  { name, receivedAt, payload: body }: Taken,
  ports: Ports,
): Promise<readonly (Meaning & { readonly ordinal: number })[] | string> {
  const payload = payloadOf(name, body);
  if (payload === undefined) return [];
  if ('refusal' in payload) return payload.refusal;
  const taking = takingOf(receivedAt, ports);
  const found = await readWhereItIs(payload, taking, read);
  if (typeof found === 'string') return found;
  return (await withRelocations(found, taking)).map((meaning) => ({ ...meaning, ordinal: ordinalOf(meaning) }));
}

/** A webhook that is told late may name a place where its repository no longer is; it is read once more with the right one. */
async function readWhereItIs<Result>(
  payload: Payload,
  taking: Taking,
  reading: (payload: Payload, taking: Taking) => Promise<Result>,
): Promise<Result | string> {
  try {
    return await reading(payload, taking);
  } catch (error) {
    if (!(error instanceof LoopError) || error instanceof NotYetError || error instanceof LimitedError) throw error;
    if (!('repository' in payload)) throw error;
    const said = saidOf(payload);
    const now = await taking.ports.github.locate(said);
    if (now === undefined)
      return `${payload.name} was left alone, because the App no longer reaches ${said.owner}/${said.repo}: ${error.message}`;
    if (isSamePlace(now, said)) throw error;
    const repository = { ...payload.repository, name: now.repo, owner: { login: now.owner } };
    return reading({ ...payload, repository, installation: { id: now.installationId } }, taking);
  }
}

/**
 * The number under which a meaning is applied once to its loop. A delivery that is taken in again, because the process died in between, reads the world
 * afresh and may find more or fewer meanings: a loop that knows the new place by now needs no `relocated`, and one that has heard of its base no `moved`.
 * Counted along the list, what follows would get the number of what was applied and be lost, or a new number and be applied twice. So the number says
 * what it is: relocation, move of the base, or what the delivery itself says, by its place in the payload, which never changes.
 */
function ordinalOf({ event, position = 0 }: Meaning): number {
  if (event.type === 'relocated') return 0;
  return event.type === 'moved' ? 1 : 2 + position;
}
