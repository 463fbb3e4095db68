/** One clock for everything that the embedded GitHub stamps or expires, moved under `/_local/clock`. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterEach(async () => void (await stage.local('POST', '/clock', { offsetMs: 0 })));
afterAll(() => stage.close());

const HOUR_MS = 3_600_000;
const told = z.object({ now: z.iso.datetime(), offsetMs: z.int() });

test('the clock is read, set to an offset and advanced, and refuses anything else', async () => {
  expect(told.parse((await stage.local('GET', '/clock')).body).offsetMs).toBe(0);
  expect(told.parse((await stage.local('POST', '/clock', { offsetMs: -HOUR_MS })).body).offsetMs).toBe(-HOUR_MS);
  const moved = told.parse((await stage.local('POST', '/clock', { advanceMs: 3 * HOUR_MS })).body);
  expect(moved.offsetMs).toBe(2 * HOUR_MS);
  expect(Date.parse(moved.now) - Date.now()).toBeGreaterThan(2 * HOUR_MS - 60_000);
  for (const body of [{ advanceMs: 'much' }, { offsetMs: 1, advanceMs: 1 }, { faster: true }, 7])
    expect((await stage.local('POST', '/clock', body)).status).toBe(422);
});

test('what is made after the clock moved is stamped by it', async () => {
  await stage.local('POST', '/clock', { advanceMs: 24 * HOUR_MS });
  const { data, headers } = await stage.as('alice').rest.issues.create({ ...HERE, title: 'Tomorrow' });
  expect(Date.parse(data.created_at) - Date.now()).toBeGreaterThan(23 * HOUR_MS);
  expect(Date.parse(headers.date ?? '') - Date.now()).toBeGreaterThan(23 * HOUR_MS);
});

test('tokens expire by the clock, and a JWT is judged by it', async () => {
  const token = await installationToken(stage.server);
  const jwt = jwtOf(stage.server.credentials);
  const repository = () => octokit(stage.server.url, token).rest.repos.get(HERE);
  await stage.local('POST', '/clock', { advanceMs: HOUR_MS / 2 });
  expect((await repository()).status).toBe(200);
  await expect(octokit(stage.server.url, jwt).rest.apps.getAuthenticated()).rejects.toMatchObject({ status: 401 });
  await stage.local('POST', '/clock', { advanceMs: HOUR_MS / 2 });
  await expect(repository()).rejects.toMatchObject({ status: 401 });
});

test('a switch that nobody knows, or a value that it cannot have, is refused', async () => {
  expect((await stage.local('GET', '/switches')).body).toMatchObject({ mergeableAfterMs: 1000 });
  for (const body of [{ mergableAfterMs: 1 }, { mergeableAfterMs: -1 }, { mergeableAfterMs: 'soon' }, []])
    expect((await stage.local('PATCH', '/switches', body)).status).toBe(422);
  expect(await stage.local('PATCH', '/switches', { mergeableAfterMs: 5 })).toMatchObject({
    status: 200,
    body: { mergeableAfterMs: 5 },
  });
});
