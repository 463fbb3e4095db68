/** The door for webhooks: nothing is believed or parsed before its signature was checked, each is stored before it is acknowledged, and what is wrong is said in one line. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Webhooks } from '@octokit/webhooks';
import { type Logger, pino } from 'pino';
import { Probot } from 'probot';
import type { Delivery, Ports } from '../ports.ts';
import { type Answer, send } from './answer.ts';
import { isCostlyJson, type JsonBounds } from './json-effort.ts';
import { deliveryOf } from './reduce.ts';
import { type BodyLimits, createBodyReader, type ReadBody, tooLarge } from './request-body.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';

/** Where to store, who the App is, and what time it is. */
export type DoorPorts = Pick<Ports, 'clock' | 'self'> & { readonly store: Pick<Ports['store'], 'receive'> };

export interface WebhookSettings {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly ports: DoorPorts;
  readonly log: Logger;
  /** GitHub's own limit of 25 MB unless given. */
  readonly limits?: BodyLimits;
  /** For how long one is waited for that is not stored yet; less than GitHub waits, unless given. */
  readonly patienceMs?: number;
}

/** GitHub sends no more, and waits for 10 s: what is stored needs the rest of them. https://docs.github.com/webhooks/webhook-events-and-payloads#payload-cap */
const LIMITS: BodyLimits = { most: 25 * 1024 * 1024, mostHeld: 32 * 1024 * 1024, withinMs: 8000 };

/**
 * GitHub's payloads are some ten deep, and what people may put into one is parsed by it to a hundred. They have a mark in 15 bytes, which makes 1.7
 * million of 25 MB.
 */
const BOUNDS: JsonBounds = { depth: 200, marks: 2_500_000 };
/** A shorter one cannot become many objects, and nearly all are shorter: looking costs as much as parsing. */
const LONG = 128 * 1024;

const STORED: Answer = { status: 200, text: 'ok\n' };

interface Door extends Pick<WebhookSettings, 'webhookSecret' | 'log'> {
  /** Of @octokit/webhooks: checks the signature once more, of the text, parses it, and calls the handler that Probot has. */
  readonly webhooks: Pick<Webhooks, 'verifyAndReceive'>;
  readonly limits: BodyLimits;
  readonly patienceMs: number;
  readonly read: ReadBody;
  /** What Probot's handler kept, until it is stored; by a name of its own, as one webhook may come twice at the same time. */
  readonly reduced: Map<string, Delivery>;
  readonly store: DoorPorts['store'];
}

/** Takes webhooks in: what is answered with 200 is stored, and GitHub counts everything else as failed. */
export async function createWebhooks(settings: WebhookSettings): Promise<RequestListener> {
  const {
    appId,
    privateKey,
    webhookSecret,
    apiUrl,
    fetch,
    ports,
    log,
    limits = LIMITS,
    patienceMs = PATIENCE_MS,
  } = settings;
  const probot = new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    request: { fetch },
    // Every failure is thrown here too; Probot itself would write it a second time, with stack and payload.
    log: pino({ level: 'silent' }),
  });
  const reduced: Door['reduced'] = new Map();
  await probot.load((app) =>
    app.onAny(({ id, name, payload }) => {
      const receivedAt = ports.clock.now().toISOString();
      reduced.set(id, deliveryOf({ id, name, payload, receivedAt }, ports.self));
    }),
  );
  const read = createBodyReader(limits);
  const { webhooks } = probot;
  const door: Door = { webhookSecret, log, webhooks, limits, patienceMs, read, reduced, store: ports.store };
  return (request, response) => {
    answered(request, response, door).catch((failure: unknown) => {
      log.error(`a webhook could not be answered: ${reasonOf(failure)}`);
      request.socket.destroy();
    });
  };
}

async function answered(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const refusal = refusalOf(request, door.limits);
  // Whoever asks before sending is asked for what will be read only.
  if (refusal === undefined && request.headers.expect !== undefined) response.writeContinue();
  send(request, response, refusal ?? (await inTime(receive(request, door), door.patienceMs)));
}

/** Of a webhook that decides nothing the id alone is stored, so that it is taken neither for missed nor for new when it comes again. */
async function keep(delivery: Delivery, { store, log }: Door): Promise<Answer> {
  const isNew = await store.receive(delivery);
  if (isNew && delivery.note !== undefined)
    log.warn({ delivery: delivery.id, webhook: delivery.name }, `a webhook is left unread: ${delivery.note}`);
  return STORED;
}

/** Why a request is refused before a byte of its body is read. */
function refusalOf({ url = '', method, headers }: IncomingMessage, limits: BodyLimits): Answer | undefined {
  const [path = ''] = url.split('?', 1);
  if (path.replace(/\/$/, '') !== WEBHOOK_PATH || method !== 'POST')
    return { status: 404, text: `Webhooks are taken by POST on ${WEBHOOK_PATH}.\n` };
  if (!/^application\/json\s*(?:;|$)/.test(headers['content-type'] ?? ''))
    return { status: 415, text: 'The content type must be application/json; set it so in the settings of the App.\n' };
  const missing = NEEDED.filter((name) => headers[name] === undefined);
  if (missing.length > 0) return { status: 400, text: `These headers are missing: ${missing.join(', ')}.\n` };
  const wrong = NEEDED.filter((name) => !FORMS[name].test(String(headers[name])));
  if (wrong.length > 0)
    return { status: 400, text: `These headers are none that GitHub sends: ${wrong.join(', ')}.\n` };
  return Number(headers['content-length'] ?? 0) > limits.most ? tooLarge(limits) : undefined;
}

const NEEDED = ['x-github-event', 'x-github-delivery', 'x-hub-signature-256'] as const;
const FORMS: Readonly<Record<(typeof NEEDED)[number], RegExp>> = {
  'x-github-event': /^\w{1,100}$/,
  'x-github-delivery': /^[\w-]{1,100}$/,
  'x-hub-signature-256': /^sha256=[0-9a-f]{64}$/,
};

/** Never throws; says of each failure what it was: no stack, and nothing of the payload. A bad request is its sender's fault, anything else is ours. */
async function receive(request: IncomingMessage, door: Door): Promise<Answer> {
  try {
    const taken = await deliveryIn(request, door);
    return 'status' in taken ? taken : await keep(taken, door);
  } catch (failure) {
    return answerTo(failure, door.log);
  }
}

/** What is kept of a webhook, or why it is refused. Bytes, text and payload are let go here: many may wait for the store. */
async function deliveryIn(request: IncomingMessage, door: Door): Promise<Delivery | Answer> {
  const { webhookSecret, webhooks, read, reduced, log } = door;
  const [name = '', id = '', signature = ''] = NEEDED.map((header) => String(request.headers[header]));
  // Of the bytes, as they come: what nobody signed is never put together, decoded or parsed.
  const hmac = createHmac('sha256', webhookSecret);
  const body = await read(request, (bytes) => hmac.update(bytes));
  if ('refusal' in body) return body.refusal;
  const isSigned = timingSafeEqual(hmac.digest(), Buffer.from(signature.slice('sha256='.length), 'hex'));
  const payload = isSigned ? textOf(body.pieces) : '';
  body.release();
  if (!isSigned) return refused('signature does not match event payload and secret', log);
  // Any other JSON would be parsed too, and nothing behind this door expects it.
  if (!/^\s*\{/.test(payload)) return refused('the payload is no JSON object', log);
  if (payload.length > LONG && isCostlyJson(payload, BOUNDS))
    return refused('the payload is nested deeper, or has more parts, than any that GitHub sends', log);
  const here = randomUUID();
  await webhooks.verifyAndReceive({ id: here, name, payload, signature });
  const delivery = reduced.get(here);
  reduced.delete(here);
  if (delivery === undefined) throw new TypeError('nobody listened');
  return { ...delivery, id };
}

/** Decoded piece by piece, so that the bytes are not copied once more. */
function textOf(pieces: readonly Buffer[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}

function refused(reason: string, log: Logger): Answer {
  log.warn(`a webhook was refused: ${reason}`);
  return { status: 400, text: `${reason}\n` };
}

function answerTo(failure: unknown, log: Logger): Answer {
  const [cause]: readonly unknown[] = failure instanceof AggregateError ? failure.errors : [failure];
  const reason = reasonOf(cause);
  if (cause instanceof Error && 'status' in cause && cause.status === 400) return refused(reason, log);
  log.error(`a webhook could not be stored, so GitHub will be asked for it again: ${reason}`);
  return { status: 500, text: 'The webhook could not be stored.\n' };
}

function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message.replace(/^\[@octokit\/webhooks\] /, '') : String(failure);
}

/** GitHub waits for 10 s. */
export const PATIENCE_MS = 9000;
const LATE: Answer = { status: 503, text: 'The webhook was not stored in time.\n' };

/** What is stored after all is known by its id when GitHub brings it again. */
async function inTime(received: Promise<Answer>, patienceMs: number): Promise<Answer> {
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => late.resolve(LATE), patienceMs);
  try {
    return await Promise.race([received, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
