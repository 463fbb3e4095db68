/** The App as a running process: webhooks in, queue behind, job files and health out. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { apply, work } from './engine/advance.ts';
import { reconcile } from './engine/reconcile.ts';
import { isHeard } from './intake/app.ts';
import { takeIn } from './intake/intake.ts';
import { createSweep } from './intake/sweep.ts';
import { createWebhooks, WEBHOOK_PATH } from './intake/webhooks.ts';
import type { Ports, QueueItem } from './ports.ts';

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

const RECONCILE_MS = 30_000;

/** Starts everything; returns when webhooks are accepted. */
export async function startServer(settings: ServerSettings): Promise<RunningApp> {
  const { ports, log } = settings;
  const opened = new AsyncDisposableStack();
  try {
    opened.defer(() => ports.queue.stop());
    const server = createServer(await listenerOf(settings));
    opened.defer(() => closed(server));
    await listen(server, settings);
    await ports.queue.start((item) => handle(item, ports, log));
    const patrol = startPatrol(settings);
    opened.defer(() => patrol.close());
    return { url: urlOf(server), close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Looks for what was missed, now and on a timer; a GitHub that does not answer is asked again then. */
function startPatrol({ ports, log }: ServerSettings): { close(): void } {
  const sweep = createSweep({ ports, isHeard, log });
  let closed = false;
  const report = (what: string) => (error: unknown) => {
    if (!closed) log.warn(`${what} failed, and is tried again in ${RECONCILE_MS / 1000} s: ${String(error)}`);
  };
  const round = async (): Promise<void> => {
    await reconcile(ports).catch(report('looking after the open loops'));
    await sweep().catch(report('looking for webhooks that did not arrive'));
  };
  void round();
  const timer = setInterval(() => void round(), RECONCILE_MS).unref();
  return {
    close() {
      closed = true;
      clearInterval(timer);
    },
  };
}

async function listenerOf(settings: ServerSettings): Promise<RequestListener> {
  const webhooks = await createWebhooks(settings);
  const rest = getRequestListener(settings.routes.fetch);
  return (request, response) => {
    if (request.url?.startsWith(WEBHOOK_PATH)) webhooks(request, response);
    else void rest(request, response);
  };
}

/** One queue item; what it throws, the queue tries again. */
async function handle(item: QueueItem, ports: Ports, log: Logger): Promise<void> {
  const startedMs = performance.now();
  switch (item.type) {
    case 'intake': {
      const delivery = await ports.store.delivery(item.deliveryId);
      const note = delivery === undefined ? undefined : await takeIn(delivery, ports);
      if (note !== undefined) log.warn({ delivery: item.deliveryId }, note);
      break;
    }
    case 'wake':
      await work(item.loopId, item.lane, ports);
      break;
    case 'elapse': {
      const stored = await ports.store.load(item.loopId);
      const at = ports.clock.now().toISOString();
      if (stored !== undefined)
        await apply(stored.loop.ref, { type: 'elapsed', at, entry: item.entry, timer: item.timer }, ports.store);
    }
  }
  log.debug({ item, durationMs: Math.round(performance.now() - startedMs) }, 'handled');
}

function listen(server: Server, { port, host }: ServerSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function urlOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}
