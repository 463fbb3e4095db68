import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reconcile } from '../../src/engine/reconcile.ts';
import { deliveryOf } from '../../src/intake/reduce.ts';
import { takeIn } from '../../src/intake/take-in.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { eventually, jwtOf, octokit } from '../local/server.ts';
import { proposed } from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let issue = 0;
let before: Loop;
beforeAll(async () => {
  world = await startWorld();
  before = await proposed(world, 'Search, told of twice');
  issue = before.ref.issue;
});
afterAll(() => world.close());

async function written(): Promise<readonly string[]> {
  const isRead = (method: string, path: string) => method === 'GET' || /access_tokens|upload-pack|hook/.test(path);
  return (await world.requests())
    .filter(({ method, path }) => !isRead(method, path))
    .map(({ id, method, path }) => `${id} ${method} ${path}`);
}

test('every webhook once more, under the id that it had, changes nothing and writes nothing', async () => {
  const app = octokit(world.github.url, jwtOf(world.github.credentials)).rest.apps;
  const list = async () => (await app.listWebhookDeliveries({ per_page: 100 })).data;
  const told = await list();
  const earlier = await written();
  for (const { id } of told) await app.redeliverWebhookDelivery({ delivery_id: id });
  const again = async () => (await list()).filter(({ redelivery, status }) => redelivery && status === 'OK').length;
  await eventually(
    async () => (await again()) === Math.min(told.length, 100),
    'all of them have arrived again',
    30_000,
  );
  expect(told.map(({ event }) => event)).toEqual(expect.arrayContaining(['issues', 'issue_comment']));
  expect(await world.until(issue, () => true)).toEqual(before);
  expect(await written()).toEqual(earlier);
});

test('a delivery that is taken in twice changes nothing the second time', async () => {
  const app = octokit(world.github.url, jwtOf(world.github.credentials)).rest.apps;
  const earlier = await written();
  const told = (await app.listWebhookDeliveries({ per_page: 100 })).data;
  const { ports } = world.composed;
  const taken = new Set<string>();
  for (const { id, guid, event, delivered_at: receivedAt } of told) {
    const { payload } = (await app.getWebhookDelivery({ delivery_id: id })).data.request;
    const delivery = deliveryOf({ id: guid, name: event, payload, receivedAt }, ports.self);
    if (delivery.payload === undefined || taken.has(guid)) continue;
    taken.add(guid);
    await takeIn(delivery, ports);
  }
  expect(taken.size).toBeGreaterThan(1);
  await sleep(1000);
  expect(await world.until(issue, () => true)).toEqual(before);
  expect(await written()).toEqual(earlier);
});

test('reconciling twice changes nothing and writes nothing', async () => {
  const earlier = await written();
  await reconcile(world.composed.ports);
  await reconcile(world.composed.ports);
  expect(await world.until(issue, () => true)).toEqual(before);
  expect(await written()).toEqual(earlier);
});
