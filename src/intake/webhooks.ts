/** The door for webhooks: Probot checks the signature and routes, and what is wrong is said in one line. */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { type Logger, pino } from 'pino';
import { Probot } from 'probot';
import type { Ports } from '../ports.ts';
import { register } from './app.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';

export interface WebhookSettings {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly ports: Pick<Ports, 'clock'> & { readonly store: Pick<Ports['store'], 'receive'> };
  readonly log: Logger;
}

/** Takes webhooks in: what is answered with 200 is stored, and GitHub counts everything else as failed. */
export async function createWebhooks(settings: WebhookSettings): Promise<RequestListener> {
  const { appId, privateKey, webhookSecret, apiUrl, fetch, ports, log } = settings;
  const probot = new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    request: { fetch },
    // Every failure comes through the middleware too; Probot itself would write it a second time, with stack and payload.
    log: pino({ level: 'silent' }),
  });
  await probot.load((app) => register(app, ports));
  const middleware = await probot.getNodeMiddleware({ path: WEBHOOK_PATH, log: failureLog(log) });
  return async (request: IncomingMessage, response: ServerResponse) => {
    const known = await middleware(request, onlyWhenStored(response));
    if (!known && !response.headersSent) response.writeHead(404).end();
  };
}

/** The middleware answers 202 when storing takes long, and goes on; GitHub would count that as delivered, whatever comes of it. */
function onlyWhenStored(response: ServerResponse): ServerResponse {
  const writeHead = response.writeHead.bind(response);
  return Object.assign(response, {
    writeHead: (status: number, headers?: OutgoingHttpHeaders) => writeHead(status === 202 ? 503 : status, headers),
  });
}

/** Says of each failure what it was: no stack, and nothing of the payload. A bad request is its sender's fault, anything else is ours. */
function failureLog(log: Logger): Logger {
  return pino({
    level: 'error',
    hooks: {
      logMethod([failure]: readonly unknown[]) {
        const [cause]: readonly unknown[] = failure instanceof AggregateError ? failure.errors : [failure];
        const reason = cause instanceof Error ? cause.message.replace(/^\[@octokit\/webhooks\] /, '') : String(cause);
        const isBad = cause instanceof Error && 'status' in cause && cause.status === 400;
        if (isBad) log.warn(`a webhook was refused: ${reason}`);
        else log.error(`a webhook could not be stored, so GitHub will be asked for it again: ${reason}`);
      },
    },
  });
}
