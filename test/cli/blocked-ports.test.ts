import { expect, test } from 'vitest';
import { BLOCKED_PORTS } from '../../src/cli/blocked-ports.ts';

/** Asks for a page of a port, on a connection that is never made. */
async function isBlocked(port: number): Promise<boolean> {
  const init: object = {
    dispatcher: {
      dispatch() {
        throw new Error('let through');
      },
    },
  };
  const error = await fetch(`http://127.0.0.1:${port}/`, init).catch((reason: unknown) => reason);
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}

test('the ports that are refused are those that a request never goes to', async () => {
  const blocked: number[] = [];
  for (let port = 1; port <= 11_000; port += 1) if (await isBlocked(port)) blocked.push(port);
  expect(blocked).toEqual([...BLOCKED_PORTS]);
});
