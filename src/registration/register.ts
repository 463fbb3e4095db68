/** Serves the pages on this machine until the App is registered, or somebody ends it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ConfigError } from '../errors.ts';
import { createDesk, type Registered } from './desk.ts';
import type { RegistrationRequest } from './request.ts';
import { createSite } from './site.ts';

export interface RegisterOptions {
  readonly request: RegistrationRequest;
  /** Absolute; nothing is there yet. */
  readonly envFile: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Told once, when a browser may come. */
  readonly listens: (address: string) => void;
  /** Told whenever what GitHub sent the browser back with led to nothing. */
  readonly complain: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** Undefined where it was ended before. @throws {ConfigError} when it cannot listen there. */
export async function register(options: RegisterOptions): Promise<Registered | undefined> {
  const { request, signal } = options;
  const server = createServer();
  const address = await listen(server, options);
  try {
    const desk = createDesk(options);
    server.on('request', getRequestListener(createSite({ request, desk, address }).fetch));
    options.listens(address);
    await Promise.race([desk.registered, aborted(signal)]);
    return await desk.settled();
  } finally {
    await closed(server);
  }
}

async function listen(server: Server, { host, port }: RegisterOptions): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new ConfigError(
      `${host}:${port} cannot be listened on${code}; name another one with --port or --host, or stop what uses it.`,
      { cause },
    );
  }
  const bound = server.address();
  const { port: chosen } = typeof bound === 'object' && bound !== null ? bound : { port };
  return `http://${nameOf(host)}:${chosen}`;
}

/** What listens everywhere is asked here: so it is in a container whose port is published on 127.0.0.1. */
function nameOf(host: string): string {
  if (['0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** For the page that says what was written, and no longer. */
const SHOWN_WITHIN_MS = 3000;

async function closed(server: Server): Promise<void> {
  const over = setTimeout(() => server.closeAllConnections(), SHOWN_WITHIN_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(over);
}
