/** That the App is given a repository is told to it as GitHub tells it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payloadOf } from '../../src/intake/payloads.ts';
import { eventually, HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

const KEY = 'key-of-the-printed-address';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ key: KEY, others: ['alice/games'] });
});
afterAll(() => stage.close());

const asOperator = (method: string, path: string, body?: unknown) =>
  fetch(`${stage.server.url}/_local${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const told = () => stage.receiver.received.filter(({ event }) => event === 'installation_repositories');

// https://docs.github.com/webhooks/webhook-events-and-payloads#installation_repositories
test('the App is told of the repository alone, by a signed webhook that it understands', async () => {
  expect((await asOperator('POST', '/repos/alice/games/installed')).status).toBe(204);
  await eventually(() => told().length === 1, 'the webhook arrives');
  const [{ payload, signed } = { payload: {}, signed: false }] = told();
  const { data: games } = await stage.as('alice').rest.repos.get({ ...HERE, repo: 'games' });
  const { id, node_id } = games;
  expect(signed).toBe(true);
  expect(payload).toMatchObject({
    action: 'added',
    installation: { id: stage.server.credentials.installationId, app_slug: 'loopwright' },
    repository_selection: 'selected',
    repositories_added: [{ id, node_id, name: 'games', full_name: 'alice/games', private: false }],
    repositories_removed: [],
    requester: null,
    sender: { login: 'alice', type: 'User' },
  });
  expect(payload).not.toHaveProperty('repository');
  expect(payloadOf('installation_repositories', payload)).toMatchObject({ name: 'installation_repositories.added' });
});

test('it is in the list of deliveries, as one that is of no repository, and can be sent again', async () => {
  const app = octokit(stage.server.url, jwtOf(stage.server.credentials)).rest.apps;
  const listed = async () =>
    (await app.listWebhookDeliveries()).data.filter(({ event }) => event === 'installation_repositories');
  await eventually(async () => (await listed()).length === 1, 'it is delivered');
  const [delivery] = await listed();
  expect(delivery).toMatchObject({ action: 'added', repository_id: null, status: 'OK', redelivery: false });
  await app.redeliverWebhookDelivery({ delivery_id: delivery?.id ?? 0 });
  await eventually(() => told().length === 2, 'the second arrives');
  expect(told().map(({ guid }) => guid)).toEqual([delivery?.guid, delivery?.guid]);
});

test('an App that was nowhere is installed by it', async () => {
  await asOperator('PATCH', '/switches', { arranged: { isInstalled: false, hasIssues: false } });
  await expect(installationToken(stage.server)).rejects.toThrow();
  await asOperator('POST', '/repos/alice/toys/installed');
  await expect(installationToken(stage.server)).resolves.toMatch(/^ghs_/);
  // And nothing else that was arranged has changed.
  expect((await stage.as('bob').rest.repos.get(HERE)).data.has_issues).toBe(false);
});

test('it is for whoever has the key, and for repositories that there are', async () => {
  const before = told().length;
  const without = await fetch(`${stage.server.url}/_local/repos/alice/toys/installed`, { method: 'POST' });
  expect(without.status).toBe(401);
  expect((await asOperator('POST', '/repos/alice/none/installed')).status).toBe(404);
  expect(told()).toHaveLength(before);
});
