/**
 * The durable outbox of webhooks: stored with the change that causes them, sent in order per repository, and tried once, as GitHub does:
 * https://docs.github.com/webhooks/using-webhooks/handling-failed-webhook-deliveries
 */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, now } from '../clock.ts';
import type { WebhookFault } from '../faults/fault-rules.ts';
import type { Faults } from '../faults/faults.ts';
import type { Delivery } from '../records.ts';
import type { State } from '../state.ts';
import { createHolding } from './holding.ts';

const ANSWER_TIMEOUT_MS = 10_000;

export interface Outgoing {
  readonly event: string;
  readonly action: string | undefined;
  readonly repositoryId: number;
  readonly payload: unknown;
}

export interface Outbox {
  /** Stores a delivery; call it in the transaction of the change. */
  readonly add: (outgoing: Outgoing) => void;
  /** Stores a copy of an earlier delivery with the same guid. */
  readonly redeliver: (delivery: Delivery) => void;
  /** Where deliveries go, beginning with what a former process left; undefined: the App has no webhook, and none is stored. */
  readonly setUrl: (url: string | undefined) => void;
  readonly url: () => string | undefined;
  /** Sends what faults hold back, now. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

export interface OutboxOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'ofWebhook'>;
  /** Signs what is sent. */
  readonly secret: string;
}

/** An outbox of one server. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { state } = options;
  const sender = createSender(options);
  const insert = (fresh: Fresh, result: Pick<Delivery, 'state' | 'outcome'>): Delivery =>
    state.deliveries.insert({ ...fresh, ...result, statusCode: 0, durationMs: 0, deliveredAt: now(options) });
  const store = (fresh: Fresh): void => {
    insert(fresh, { state: 'pending', outcome: 'pending' });
    sender.wake(fresh.repositoryId);
  };
  const holding = createHolding({
    hold: (fresh) => insert(fresh, { state: 'held', outcome: 'pending' }),
    send: (held) => {
      // Sent in the order of ids, so it gets a new one.
      state.transaction(() => {
        state.deliveries.remove(held.id);
        store(held);
      });
    },
    left: state.deliveries.find({ state: 'held' }),
  });
  const ways: Readonly<Record<WebhookFault['does'], (fresh: Fresh, fault: WebhookFault) => void>> = {
    drop: (fresh) => void insert(fresh, { state: 'failed', outcome: 'failed to connect to host' }),
    twice: (fresh) => {
      store(fresh);
      store(fresh);
    },
    hold: (fresh, { forMs }) => holding.alone(fresh, forMs),
    shuffle: (fresh, { forMs }) => holding.together(fresh, forMs),
  };
  return {
    add: ({ payload, ...outgoing }) => {
      if (!sender.hasUrl()) return;
      const fresh = { ...outgoing, guid: randomUUID(), payload: JSON.stringify(payload), redelivery: false };
      const fault = options.faults.ofWebhook(outgoing.event, outgoing.action);
      if (fault === undefined) store(fresh);
      else ways[fault.does](fresh, fault);
    },
    release: holding.release,
    redeliver: ({ guid, event, action, repositoryId, payload }) =>
      store({ guid, event, action, repositoryId, payload, redelivery: true }),
    setUrl: sender.setUrl,
    url: sender.url,
    close: async () => {
      holding.release();
      await sender.close();
    },
  };
}

export type Fresh = Pick<Delivery, 'guid' | 'event' | 'action' | 'repositoryId' | 'payload' | 'redelivery'>;

/** One worker per repository: deliveries leave in the order in which they were stored. */
function createSender({ state, clock, secret }: OutboxOptions) {
  let url: string | undefined;
  const closing = new AbortController();
  const working = new Map<number, Promise<void>>();
  const nextOf = (repositoryId: number) =>
    url === undefined || closing.signal.aborted
      ? undefined
      : state.deliveries.first({ state: 'pending', repositoryId });

  const drain = async (repositoryId: number): Promise<void> => {
    // The change that added the delivery commits first.
    await sleep(0);
    for (let delivery = nextOf(repositoryId); delivery; delivery = nextOf(repositoryId)) {
      const change = await send({ delivery, url: url ?? '', secret, clock, signal: closing.signal });
      // Cut off by closing: it stays pending, and the next start sends it.
      if (closing.signal.aborted) return;
      state.deliveries.update(delivery.id, change);
    }
  };
  const wake = (repositoryId: number): void => {
    if (working.has(repositoryId) || closing.signal.aborted) return;
    const work = drain(repositoryId).finally(() => {
      working.delete(repositoryId);
      if (nextOf(repositoryId)) wake(repositoryId);
    });
    working.set(repositoryId, work);
  };
  return {
    wake,
    hasUrl: () => url !== undefined,
    url: () => url,
    setUrl: (next: string | undefined) => {
      url = next;
      for (const repositoryId of new Set(state.deliveries.find({ state: 'pending' }).map((row) => row.repositoryId))) {
        wake(repositoryId);
      }
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(working.values());
    },
  };
}

interface Sending {
  readonly delivery: Delivery;
  readonly url: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function send(sending: Sending): Promise<Partial<Delivery>> {
  const begun = performance.now();
  const result = resultOf(await post(sending));
  return { ...result, durationMs: Math.round(performance.now() - begun), deliveredAt: now(sending) };
}

function resultOf(answer: Answer): Pick<Delivery, 'state' | 'statusCode' | 'outcome'> {
  if (typeof answer === 'string') return { state: 'failed', statusCode: 0, outcome: answer };
  if (answer < 400) return { state: 'delivered', statusCode: answer, outcome: 'OK' };
  return { state: 'failed', statusCode: answer, outcome: `Invalid HTTP Response: ${answer}` };
}

/** A status, or why there is none. */
type Answer = number | 'timed out' | 'failed to connect to host';

async function post({ delivery, url, secret, signal }: Sending): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: delivery.payload,
      headers: headersOf(delivery, secret),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return timedOut ? 'timed out' : 'failed to connect to host';
  }
}

function headersOf({ guid, event, payload }: Delivery, secret: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/local',
    'x-github-delivery': guid,
    'x-github-event': event,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`,
  };
}
