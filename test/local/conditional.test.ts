/** Conditional reads: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

const read = (headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${stage.server.url}/api/v3/repos/alice/toys/issues`, { headers });

test('what has not changed since is answered with 304 and without a body, until it changes', async () => {
  const first = await read();
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
  const same = await read({ 'if-none-match': `"other", ${etag}` });
  expect(same.status).toBe(304);
  expect(same.headers.get('etag')).toBe(etag);
  expect(await same.text()).toBe('');
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'Something new' });
  const changed = await read({ 'if-none-match': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
  expect(await changed.json()).toHaveLength(1);
});

test('a refusal has no tag', async () => {
  const missing = await fetch(`${stage.server.url}/api/v3/repos/alice/nowhere`, { headers: { 'if-none-match': '*' } });
  expect(missing.status).toBe(404);
  expect(missing.headers.get('etag')).toBeNull();
});
