/** Servers of tests, on 127.0.0.1. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Has a server listen, on a free port where none is named; returns its address. */
export async function listening(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return `http://127.0.0.1:${address.port}`;
}

/** A port on which nobody listens now, and which no outgoing connection is given: those have 32768 and more. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  try {
    const { port } = new URL(await listening(probe, randomInt(20_000, 32_000)));
    await new Promise((resolve) => probe.close(resolve));
    return Number(port);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return freePort();
    throw error;
  }
}
