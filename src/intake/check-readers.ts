/** What check runs, suites and statuses mean: buttons that people press on ours, and checks of others that end. */
import { z } from 'zod';
import type { Actor } from '../loop/terms.ts';
import { isPerson } from '../loop/terms.ts';
import { ofCheck } from './loop-lookup.ts';
import type { PayloadOf } from './payloads.ts';
import { type Located, placeOf } from './place.ts';
import { type Meaning, ofStored, type Readers, roleOf, saying, type Taking } from './reader.ts';

/** Identifiers of our check-run buttons. */
const checkButton = z.enum(['approve', 'rerun']);

export const checkReaders: Readers<
  'check_run.requested_action' | 'check_run.rerequested' | 'check_run.completed' | 'check_suite.completed' | 'status'
> = {
  async 'check_run.requested_action'(payload, { at, ports }) {
    const { repository, check_run, requested_action, sender } = payload;
    const button = checkButton.safeParse(requested_action?.identifier);
    if (!button.success || !isPerson(sender)) return [];
    const stored = await ofCheck(repository.id, check_run, ports.store);
    const newest = stored?.loop.review?.packet.digest;
    const digest = newest !== undefined && check_run.external_id.endsWith(newest) ? newest : check_run.external_id;
    const meanings = await ofStored(stored, placeOf(payload, ports), async (ref) => ({
      type: 'pressed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      button: button.data,
      digest,
    }));
    return saying(pressOf(payload, button.data), meanings);
  },
  async 'check_run.rerequested'(payload, { at, ports }) {
    const { repository, check_run, sender } = payload;
    if (!isPerson(sender)) return [];
    const stored = await ofCheck(repository.id, check_run, ports.store);
    const meanings = await ofStored(stored, placeOf(payload, ports), async (ref) => ({
      type: 'pressed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      button: 'rerun',
      digest: '',
    }));
    return saying(pressOf(payload, 'rerequested'), meanings);
  },
  async 'check_run.completed'(payload, taking) {
    const { check_run } = payload;
    return isOwnCheck(payload.sender, check_run.app, taking.ports.self)
      ? []
      : heard(payload, check_run.head_sha, taking);
  },
  async 'check_suite.completed'(payload, taking) {
    const { check_suite } = payload;
    return isOwnCheck(payload.sender, check_suite.app, taking.ports.self)
      ? []
      : heard(payload, check_suite.head_sha, taking);
  },
  async status(payload, taking) {
    return isOwnCheck(payload.sender, undefined, taking.ports.self) ? [] : heard(payload, payload.sha, taking);
  },
};

/**
 * A press has no id, so it is told by who pressed what, and by the moment: the App writes its check runs anew when a loop is held, goes on, or has another
 * packet, and GitHub says when that was. Pressed twice before anything has changed, it is one press.
 */
function pressOf({ check_run, sender }: Pressed, button: string): string | undefined {
  const { id, external_id, completed_at, check_suite } = check_run;
  if (id === undefined) return undefined;
  const moment = [completed_at, check_suite?.updated_at].map((time) => time ?? '').join('/');
  return `press/${id}/${button}/${sender.id}/${external_id}/${moment}`;
}

type Pressed = PayloadOf<'check_run.requested_action' | 'check_run.rerequested'>;

/** Something happened to the checks of a commit: told to the loops that await it, and to nobody else. */
export async function heard(payload: Located, sha: string, { at, ports }: Taking): Promise<readonly Meaning[]> {
  const place = placeOf(payload, ports);
  const atHead = await ports.store.awaitingChecks(payload.repository.id, sha);
  const awaiting = atHead.filter(({ loop }) => loop.shipping?.promotedAt !== undefined);
  const each = awaiting.map((stored) => ofStored(stored, place, async () => ({ type: 'heard', at, sha })));
  return (await Promise.all(each)).flat();
}

/** What the App itself writes tells it nothing. The suite of its checks ends in the name of whoever pushed. */
export function isOwnCheck(
  sender: Actor,
  app: { readonly slug?: string | null | undefined } | null | undefined,
  self: string,
): boolean {
  return sender.login === self || (typeof app?.slug === 'string' && `${app.slug}[bot]` === self);
}
