import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createHealth, type Obstacle } from '../../src/gateway/health.ts';
import { listening } from '../listening.ts';

afterEach(() => vi.useRealTimers());

/** Asks over HTTP. */
async function served(obstacle: Obstacle) {
  const server = createServer(getRequestListener(createHealth(obstacle).fetch));
  onTestFinished(() => void server.close());
  const url = await listening(server);
  return async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, cache: response.headers.get('cache-control'), told: await response.json() };
  };
}

test('a process that can work is alive and ready', async () => {
  const ask = await served(async () => undefined);
  expect(await ask('/healthz')).toEqual({ status: 200, cache: 'no-store', told: { status: 'alive' } });
  expect(await ask('/readyz')).toEqual({ status: 200, cache: 'no-store', told: { status: 'ready' } });
});

test('one that cannot work is alive, and says why it is not ready', async () => {
  const ask = await served(async () => 'The database is away.');
  expect(await ask('/healthz')).toMatchObject({ status: 200, told: { status: 'alive' } });
  expect(await ask('/readyz')).toEqual({
    status: 503,
    cache: 'no-store',
    told: { status: 'not ready', reason: 'The database is away.' },
  });
});

test('however many ask, the database is asked once a second', async () => {
  // Not over HTTP: its client would keep the timer of the test for the rest of the process.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const obstacle = vi.fn(async () => undefined);
  const app = createHealth(obstacle);
  const ask = (path: string) => app.request(path);
  await Promise.all(Array.from({ length: 20 }, () => ask('/readyz')));
  await vi.advanceTimersByTimeAsync(999);
  await ask('/readyz');
  expect(obstacle).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  await ask('/readyz');
  expect(obstacle).toHaveBeenCalledTimes(2);
});
