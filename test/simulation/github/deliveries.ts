/** How webhooks reach the App: late, twice, in another order, or not at all; what failed is listed, and brought again when it is asked for. */
import type { FailedDelivery } from '../../../src/github/github-port.ts';
import { isHeard } from '../../../src/intake/payloads.ts';
import type { Odds } from '../world/odds.ts';
import type { Random } from '../world/random.ts';
import type { Scheduler } from '../world/scheduler.ts';

export interface Webhook {
  readonly guid: string;
  /** `issues` */
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  /** When the App said that it has it. */
  takenInMs: number | undefined;
  /** GitHub was asked to send it once more, and has not done so yet. */
  underWay: number;
}

export interface Delivering {
  readonly webhooks: readonly Webhook[];
  readonly send: (name: string, payload: Readonly<Record<string, unknown>>) => void;
  readonly failed: (cursor: string | undefined) => {
    readonly deliveries: readonly FailedDelivery[];
    readonly next: string | undefined;
  };
  /** False when GitHub does not know the delivery any more. */
  readonly redeliver: (id: string) => boolean;
  calm: boolean;
}

/** Takes a webhook in, and says whether it is stored. */
export type Door = (webhook: Webhook) => Promise<boolean>;

interface Attempt extends FailedDelivery {
  readonly webhook: Webhook;
  readonly atMs: number;
}

const PAGE = 100;
const REMEMBERED_MS = 3 * 24 * 3600_000;

export function createDelivering(
  { scheduler, random, odds }: { readonly scheduler: Scheduler; readonly random: Random; readonly odds: Odds },
  door: Door,
): Delivering {
  const webhooks: Webhook[] = [];
  const attempts: Attempt[] = [];
  let serial = 0;
  const fail = (webhook: Webhook, atMs: number): void => {
    serial += 1;
    const triedAt = new Date(atMs).toISOString();
    attempts.push({ id: String(serial), guid: webhook.guid, name: nameOf(webhook), triedAt, webhook, atMs });
  };
  const attempt = async (webhook: Webhook, isLost: boolean): Promise<void> => {
    const atMs = scheduler.nowMs();
    const stored = !isLost && (await door(webhook));
    webhook.underWay -= 1;
    if (stored) webhook.takenInMs ??= scheduler.nowMs();
    else fail(webhook, atMs);
  };
  const bring = (webhook: Webhook, delayMs: number): void => {
    webhook.underWay += 1;
    const isLost = !delivering.calm && random.chance(odds.lost);
    scheduler.after(delayMs, () => void attempt(webhook, isLost));
  };
  const delivering: Delivering = {
    webhooks,
    calm: false,
    send(name, payload) {
      const webhook = {
        guid: `g${webhooks.length}`,
        name,
        payload,
        atMs: scheduler.nowMs(),
        takenInMs: undefined,
        underWay: 0,
      };
      if (!isHeard(nameOf(webhook))) return;
      webhooks.push(webhook);
      const isLate = !delivering.calm && random.chance(odds.late);
      bring(webhook, 200 + random.around(isLate ? 40_000 : 900));
      if (!delivering.calm && random.chance(odds.doubled)) bring(webhook, 200 + random.around(60_000));
    },
    failed(cursor) {
      const known = attempts.filter(({ atMs }) => atMs > scheduler.nowMs() - REMEMBERED_MS).toReversed();
      const start = Number(cursor ?? 0);
      const next = start + PAGE < known.length ? String(start + PAGE) : undefined;
      return { deliveries: known.slice(start, start + PAGE), next };
    },
    redeliver(id) {
      const found = attempts.find((one) => one.id === id);
      if (found === undefined || found.atMs < scheduler.nowMs() - REMEMBERED_MS) return false;
      bring(found.webhook, 500 + random.around(3000));
      return true;
    },
  };
  return delivering;
}

/** `issues.labeled`, `push` */
export function nameOf({ name, payload }: Pick<Webhook, 'name' | 'payload'>): string {
  const { action } = payload;
  return typeof action === 'string' && name !== 'push' && name !== 'delete' ? `${name}.${action}` : name;
}
