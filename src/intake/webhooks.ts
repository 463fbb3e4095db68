/** The door for webhooks: Probot checks the signature, each is stored before it is acknowledged, and what is wrong is said in one line. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Logger, pino } from 'pino';
import { Probot } from 'probot';
import type { Ports } from '../ports.ts';
import { deliveryOf } from './reduce.ts';

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
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const STORED: Answer = { status: 200, text: 'ok\n' };

/** Takes webhooks in: what is answered with 200 is stored, and GitHub counts everything else as failed. */
export async function createWebhooks(settings: WebhookSettings): Promise<RequestListener> {
  const { appId, privateKey, webhookSecret, apiUrl, fetch, ports, log } = settings;
  const probot = new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    request: { fetch },
    // Every failure is thrown here too; Probot itself would write it a second time, with stack and payload.
    log: pino({ level: 'silent' }),
  });
  await probot.load((app) => app.onAny((webhook) => keep(webhook, ports, log)));
  return async (request, response) => {
    const refusal = refusalOf(request);
    send(response, refusal ?? (await inTime(receive(request, probot, log))));
  };
}

/** Of a webhook that decides nothing the id alone is stored, so that it is taken neither for missed nor for new when it comes again. */
async function keep(
  { id, name, payload }: { readonly id: string; readonly name: string; readonly payload: object },
  { store, clock, self }: DoorPorts,
  log: Logger,
): Promise<void> {
  const delivery = deliveryOf({ id, name, payload, receivedAt: clock.now().toISOString() }, self);
  const isNew = await store.receive(delivery);
  if (isNew && delivery.note !== undefined)
    log.warn({ delivery: id, webhook: name }, `a webhook is left unread: ${delivery.note}`);
}

function refusalOf({ url = '', method, headers }: IncomingMessage): Answer | undefined {
  if (new URL(url, 'http://localhost').pathname.replace(/\/$/, '') !== WEBHOOK_PATH || method !== 'POST')
    return { status: 404, text: `Webhooks are taken by POST on ${WEBHOOK_PATH}.\n` };
  if (!/^application\/json\s*(?:;|$)/.test(headers['content-type'] ?? ''))
    return { status: 415, text: 'The content type must be application/json; set it so in the settings of the App.\n' };
  const missing = NEEDED.filter((name) => headers[name] === undefined);
  return missing.length === 0
    ? undefined
    : { status: 400, text: `These headers are missing: ${missing.join(', ')}.\n` };
}

const NEEDED = ['x-github-event', 'x-github-delivery', 'x-hub-signature-256'] as const;

/** Never throws; says of each failure what it was: no stack, and nothing of the payload. A bad request is its sender's fault, anything else is ours. */
async function receive(request: IncomingMessage, probot: Probot, log: Logger): Promise<Answer> {
  const [name, id, signature] = NEEDED.map((header) => String(request.headers[header]));
  try {
    const payload = await text(request);
    await probot.webhooks.verifyAndReceive({ id: id ?? '', name: name ?? '', payload, signature: signature ?? '' });
    return STORED;
  } catch (failure) {
    return answerTo(failure, log);
  }
}

function answerTo(failure: unknown, log: Logger): Answer {
  const [cause]: readonly unknown[] = failure instanceof AggregateError ? failure.errors : [failure];
  const reason = cause instanceof Error ? cause.message.replace(/^\[@octokit\/webhooks\] /, '') : String(cause);
  if (cause instanceof Error && 'status' in cause && cause.status === 400) {
    log.warn(`a webhook was refused: ${reason}`);
    return { status: 400, text: `${reason}\n` };
  }
  log.error(`a webhook could not be stored, so GitHub will be asked for it again: ${reason}`);
  return { status: 500, text: 'The webhook could not be stored.\n' };
}

/** GitHub waits for 10 s. */
const PATIENCE_MS = 9000;
const LATE: Answer = { status: 503, text: 'The webhook was not stored in time.\n' };

/** What is stored after all is known by its id when GitHub brings it again. */
async function inTime(received: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => late.resolve(LATE), PATIENCE_MS);
  try {
    return await Promise.race([received, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function send(response: ServerResponse, answer: Answer): void {
  const headers = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(answer.text) };
  response.writeHead(answer.status, headers).end(answer.text);
}
