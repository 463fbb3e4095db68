/** A proxy before a server that can hold one exchange: at its request, or at its answer, when the server has done its work already. */
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from '../listening.ts';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface Held {
  /** Resolves when the exchange is held. */
  readonly reached: Promise<void>;
  release(): void;
}

export interface Gate {
  readonly url: string;
  /** Holds the next exchange that matches. */
  hold(where: 'request' | 'answer', matches: (exchange: Exchange) => boolean): Held;
  close(): Promise<void>;
}

interface Hold extends Held {
  readonly where: 'request' | 'answer';
  readonly matches: (exchange: Exchange) => boolean;
  arrive(): Promise<void>;
}

export async function startGate(target: string): Promise<Gate> {
  const holds = new Set<Hold>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    const exchange = { method: incoming.method ?? '', path: incoming.url ?? '', body: body.toString() };
    const hold = [...holds].find(({ matches }) => matches(exchange));
    if (hold !== undefined) holds.delete(hold);
    if (hold?.where === 'request') await hold.arrive();
    forward({ target, incoming, body, outgoing, before: async () => hold?.where === 'answer' && hold.arrive() });
  });
  const url = await listening(server);
  return {
    url,
    hold(where, matches) {
      const hold = { ...createHeld(), where, matches };
      holds.add(hold);
      return hold;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createHeld(): Held & Pick<Hold, 'arrive'> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const arrive = () => {
    reached.resolve();
    return released.promise;
  };
  return { reached: reached.promise, release: released.resolve, arrive };
}

interface Forwarding {
  readonly target: string;
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  readonly before: () => Promise<unknown>;
}

/** Whoever was killed meanwhile gets no answer, and a server that is not there gives none. */
function forward({ target, incoming, body, outgoing, before }: Forwarding): void {
  const { method, url = '', headers } = incoming;
  const address = new URL(url, target);
  const sent = send(
    address,
    { method: method ?? 'GET', headers: { ...headers, host: address.host } },
    async (answer) => {
      const content = await buffer(answer).catch(() => undefined);
      await before();
      if (content === undefined) return outgoing.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      return outgoing.end(content);
    },
  );
  sent.on('error', () => outgoing.destroy());
  sent.end(body);
}
