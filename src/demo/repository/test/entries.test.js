import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApp } from '../src/server.js';
import { createStore } from '../src/store.js';

const server = createApp(createStore([{ id: 1, name: 'Ada', message: 'Hello' }]));
let base;

before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

test('an added entry comes first', async () => {
  const added = await fetch(`${base}/api/entries`, { method: 'POST', body: JSON.stringify({ name: 'Bob', message: 'Hi' }) });
  assert.equal(added.status, 201);
  const entries = await (await fetch(`${base}/api/entries`)).json();
  assert.deepEqual(entries.map(({ name }) => name), ['Bob', 'Ada']);
});

test('an entry without a message is refused', async () => {
  const answer = await fetch(`${base}/api/entries`, { method: 'POST', body: JSON.stringify({ name: 'Eve' }) });
  assert.equal(answer.status, 422);
});

test('the page escapes what visitors wrote', async () => {
  await fetch(`${base}/api/entries`, { method: 'POST', body: JSON.stringify({ name: '<b>', message: 'x' }) });
  const html = await (await fetch(base)).text();
  assert.ok(html.includes('&lt;b&gt;'));
});
