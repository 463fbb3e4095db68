import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGitHub } from '../../src/github/github.ts';
import { wire } from '../../src/github/wire.ts';
import { eventually, HERE, type Stage, startStage } from '../local/server.ts';

const log = pino({ level: 'silent' });

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

function github() {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  return createGitHub({ appId, privateKey, apiUrl, fetch: wire({ apiUrl, checked: true }), log });
}

test('a webhook that did not arrive is listed until GitHub forgets it, and arrives once more under its own id', async () => {
  stage.receiver.status = 500;
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'Unheard' });
  await eventually(async () => (await github().failedDeliveries()).deliveries.length > 0, 'the delivery has failed');
  const { deliveries, next } = await github().failedDeliveries();
  expect(next).toBeUndefined();
  expect(deliveries).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      guid: stage.receiver.received[0]?.guid,
      name: 'issues.opened',
      triedAt: expect.any(String),
    },
  ]);
  stage.receiver.status = 200;
  await github().redeliver(deliveries[0]?.id ?? '');
  await eventually(() => stage.receiver.received.length === 2, 'it has arrived');
  expect(stage.receiver.received[1]).toEqual(stage.receiver.received[0]);
  expect((await github().failedDeliveries()).deliveries).toEqual(deliveries);
});

test('failures fill pages, each of which names the next by its cursor', async () => {
  stage.receiver.status = 500;
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...HERE, title: 'Busy' });
  const say = () => stage.as('alice').rest.issues.createComment({ ...HERE, issue_number: issue.number, body: 'Hm' });
  for (let count = 0; count < 110; count += 1) await say();
  const all = async () => {
    const first = await github().failedDeliveries();
    return { first, second: await github().failedDeliveries(first.next) };
  };
  await eventually(async () => (await all()).second.deliveries.length >= 12, 'all have failed', 20_000);
  const { first, second } = await all();
  expect(first.deliveries).toHaveLength(100);
  expect(second.next).toBeUndefined();
  const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => Number(id));
  expect(ids).toEqual(ids.toSorted((left, right) => right - left));
});

test('a delivery that is not there is said as an error', async () => {
  await expect(github().redeliver('999999')).rejects.toThrow(
    'GitHub answered 404 to POST /api/v3/app/hook/deliveries/999999/attempts',
  );
});

// https://github.com/octokit/request.js/issues/797
test('an id beyond what a number holds keeps every digit', async () => {
  const addresses: string[] = [];
  const answer = (text: string, status: number) =>
    new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8' } });
  const fetch: typeof globalThis.fetch = async (input) => {
    addresses.push(new Request(input).url);
    if (addresses.length > 1) return answer('{}', 202);
    const row = '"guid":"g","event":"push","action":null,"delivered_at":"2026-01-01T00:00:00Z","status_code":502';
    return answer(`[{"id":3804004623172239366,${row}}]`, 200);
  };
  const { appId, privateKey } = stage.server.credentials;
  const port = createGitHub({ appId, privateKey, apiUrl: 'https://api.github.com', fetch, log });
  const { deliveries } = await port.failedDeliveries();
  expect(deliveries).toEqual([{ id: '3804004623172239366', guid: 'g', name: 'push', triedAt: '2026-01-01T00:00:00Z' }]);
  await port.redeliver(deliveries[0]?.id ?? '');
  expect(addresses[1]).toBe('https://api.github.com/app/hook/deliveries/3804004623172239366/attempts');
});
