/** Registrations of the App from a manifest: confirmed by a person, and in force once somebody has brought the code. */
import { createHash, randomBytes } from 'node:crypto';
import { now } from '../clock.ts';
import type { Host } from '../host.ts';
import { notFound } from '../http-error.ts';
import type { Registration } from '../records.ts';
import type { Manifest } from './manifest.ts';

/** https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest#3-you-exchange-the-temporary-code-to-retrieve-the-app-configuration */
const CODE_LIFETIME_MS = 3_600_000;

export interface Confirmed {
  readonly manifest: Manifest;
  /** Login of the account that the App is to belong to. */
  readonly owner: string;
}

/** The code for which the registration is handed out, once and within an hour. */
export function confirmRegistration({ state, clock }: Host, { manifest, owner }: Confirmed): string {
  const code = randomBytes(20).toString('hex');
  const expiresAt = new Date(clock.now().getTime() + CODE_LIFETIME_MS).toISOString();
  state.registrations.insert({ manifest, owner, codeDigest: digestOf(code), expiresAt });
  return code;
}

/** Puts the registration of this code in force: the webhook's address, and what the App asks for. @throws HttpError 404 */
export function completeRegistration(host: Host, code: string): Registration {
  const { state, clock, switches, outbox } = host;
  return state.transaction(() => {
    const waiting = state.registrations.first({ codeDigest: digestOf(code) });
    if (!waiting || Date.parse(waiting.expiresAt) <= clock.now().getTime()) throw notFound();
    const { manifest } = waiting;
    const { accepted: _, ...arranged } = switches.values().arranged;
    // Every App may read metadata. What its former registration was granted is of no meaning for this one.
    const permissions = { metadata: 'read', ...manifest.default_permissions };
    const hasWebhookSecret = manifest.hook_attributes !== undefined;
    switches.set({ arranged: { ...arranged, permissions, events: manifest.default_events, hasWebhookSecret } });
    outbox.setUrl(hookOf(manifest));
    return state.registrations.update(waiting.id, { codeDigest: undefined, registeredAt: now(host) });
  });
}

/** The registration in force; undefined: the App is as it was made at the first start. */
export function registrationOf({ state }: Pick<Host, 'state'>) {
  return state.registrations
    .find({})
    .flatMap(({ registeredAt, ...registration }) =>
      registeredAt === undefined ? [] : [{ ...registration, registeredAt }],
    )
    .toSorted((a, b) => a.registeredAt.localeCompare(b.registeredAt))
    .at(-1);
}

/** Where the registration in force wants webhooks to go. */
export function registeredHookOf(host: Host): string | undefined {
  const registration = registrationOf(host);
  return registration && hookOf(registration.manifest);
}

function hookOf({ hook_attributes: hook }: Manifest): string | undefined {
  return hook?.active === true ? hook.url : undefined;
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
