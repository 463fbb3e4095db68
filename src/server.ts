/** The App as a running process: webhooks in, queue behind, job files and health out. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { admitQueued } from './engine/admission.ts';
import { createHandler } from './engine/handle.ts';
import { createHousekeeping } from './engine/housekeeping.ts';
import { startPatrol } from './engine/patrol.ts';
import { createReconciler } from './engine/reconcile.ts';
import { createRegaining } from './engine/standing.ts';
import { drain } from './intake/drain.ts';
import { isHeard } from './intake/payloads.ts';
import { createSweep } from './intake/sweep.ts';
import { hearingMeanwhile } from './intake/take-in.ts';
import { createWebhooks, WEBHOOK_PATH } from './intake/webhooks.ts';
import type { Ports } from './ports.ts';

export interface ServerSettings {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
  readonly host: string;
  readonly port: number;
  /** The only way out to GitHub: guarded and, in local mode and tests, checked against GitHub's description. */
  readonly fetch: typeof globalThis.fetch;
  readonly ports: Ports;
  /** Serves job bundle, briefs and health. */
  readonly routes: Hono;
  readonly log: Logger;
}

export interface RunningApp {
  readonly url: string;
  /** Stops taking work, waits for what runs (bounded), then closes. */
  close(): Promise<void>;
}

const PATROL_MS = 30_000;

/**
 * What a sender may take: for its headers, for a whole request, and between two of them. Looked at once a second. A process that stands still finds
 * this last time over before it reads what came meanwhile: it is told as 5 s, and kept for as long as GitHub waits besides.
 */
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 5000,
  keepAliveTimeoutBuffer: 10_000,
  connectionsCheckingInterval: 1000,
};

/** Starts everything; returns when webhooks are accepted. */
export async function startServer(settings: ServerSettings): Promise<RunningApp> {
  const { ports, log } = settings;
  const opened = new AsyncDisposableStack();
  try {
    opened.defer(() => ports.queue.stop());
    const listener = await listenerOf(settings);
    const server = createServer(TIMES, listener).on('checkContinue', listener);
    opened.defer(() => closed(server));
    await listen(server, settings);
    const takeIn = (repositoryId: number) => drain(repositoryId, ports, log);
    await ports.queue.start(createHandler({ ports, takeIn, log }));
    const patrol = patrolOf(settings);
    opened.defer(() => patrol.close());
    return { url: urlOf(server), close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

function patrolOf({ ports, log }: ServerSettings): { close(): Promise<void> } {
  return startPatrol({
    ports,
    log,
    everyMs: PATROL_MS,
    steps: [
      { what: 'looking after the open loops', take: createReconciler(ports) },
      { what: 'looking whether rights are back', take: createRegaining(ports, hearingMeanwhile(ports)) },
      { what: 'admitting queued loops', take: () => admitQueued(ports) },
      { what: 'looking for webhooks that did not arrive', take: createSweep({ ports, isHeard, log }) },
      { what: 'putting away what is old', take: createHousekeeping(ports) },
    ],
  });
}

async function listenerOf(settings: ServerSettings): Promise<RequestListener> {
  const webhooks = await createWebhooks(settings);
  const rest = getRequestListener(settings.routes.fetch);
  return (request, response) => {
    if (request.url?.startsWith(WEBHOOK_PATH)) webhooks(request, response);
    else void rest(request, response);
  };
}

function listen(server: Server, { port, host }: ServerSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

/** What is being answered may take so long still: a webhook is stored before the database goes. Whoever trickles is cut off then. */
const ANSWERED_MS = 3000;

async function closed(server: Server): Promise<void> {
  const over = setTimeout(() => server.closeAllConnections(), ANSWERED_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(over);
}

function urlOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}
