/** GitHub's description as the referee of requests, answers and webhooks. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ContractError, checkedFetch } from '../../src/referee/checked-fetch.ts';
import { gitHubContract } from '../../src/referee/contract.ts';
import { REQUESTS } from '../../src/referee/requests.ts';

const contract = gitHubContract();

const BAD: readonly (readonly [string, string, unknown, string])[] = [
  ['POST', '/repos/a/b/issues', { title: 'x', labls: ['loop'] }, 'body/labls'],
  ['POST', '/repos/a/b/issues', {}, 'body'],
  ['GET', '/repos/a/b/issues?stat=open', undefined, 'query.stat'],
  ['POST', '/repos/a/b/issues/comments/1/reactions', { content: 'thumbs' }, 'body/content'],
  ['POST', '/repos/a/b/check-runs', { name: 'n' }, 'body'],
  ['POST', '/repos/a/b/pulls/1/reviews', { event: 'YES' }, 'body/event'],
  ['DELETE', '/repos/a/b', undefined, 'route'],
];

test.each(BAD)('%s %s with %j is refused at %s', (method, url, body, where) => {
  expect(contract.request(method, url, body).map((problem) => problem.where)).toContain(where);
});

test('a good request has no problems', () => {
  expect(contract.request('POST', '/repos/a/b/issues', { title: 'x', labels: ['loop'] })).toEqual([]);
  expect(contract.request('GET', '/repos/a/b/contents/docs/a.md?ref=main')).toEqual([]);
});

test('an answer that misses a field or has an undocumented status is refused; errors are not judged', () => {
  const user = { login: 'a' };
  expect(
    contract
      .response('GET', '/repos/a/b/labels/x', 200, { id: 1, name: 'x', user })
      .map(({ message }) => message)
      .join(),
  ).toContain("'color'");
  expect(contract.response('GET', '/repos/a/b/labels/x', 202, {})).toMatchObject([{ where: 'status' }]);
  expect(contract.response('GET', '/repos/a/b/labels/x', 404, { message: 'Not Found' })).toEqual([]);
});

test('a webhook without its subject is refused, and one that nobody knows', () => {
  expect(
    contract
      .webhook('issues', { action: 'opened' })
      .map(({ message }) => message)
      .join(),
  ).toContain("'issue'");
  expect(contract.webhook('no_such_event', {})).toMatchObject([{ where: 'event' }]);
});

test('every row of the request table is in the committed description, which stays small', () => {
  for (const { method, route } of REQUESTS) {
    expect(contract.match(method, route.replaceAll(/[{}]/g, 'x'))?.row.route, `${method} ${route}`).toBe(route);
  }
  const file = new URL('../../src/referee/description.json', import.meta.url);
  expect(readFileSync(file).length).toBeLessThan(750_000);
});

test('the request table names each request once', () => {
  const names = REQUESTS.map(({ method, route }) => `${method} ${route}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

function createChecked(answer: unknown, status = 200) {
  const problems: ContractError[] = [];
  let calls = 0;
  const fetch = checkedFetch({
    contract,
    apiUrl: 'https://github.test/api/v3',
    onProblem: (error) => problems.push(error),
    fetch: async () => {
      calls += 1;
      return Response.json(answer, { status });
    },
  });
  return { fetch, problems, calls: () => calls };
}

test('checkedFetch stops a misspelt field before the wire and says which', async () => {
  const { fetch, problems, calls } = createChecked({});
  const send = fetch('https://github.test/api/v3/repos/a/b/issues', {
    method: 'POST',
    body: '{"title":"x","labls":[]}',
  });
  await expect(send).rejects.toThrow('labls');
  expect([calls(), problems.length]).toEqual([0, 1]);
});

test('checkedFetch refuses an answer that GitHub would not give, and lets its errors through', async () => {
  await expect(createChecked({ id: 1 }).fetch('https://github.test/api/v3/repos/a/b/labels/x')).rejects.toBeInstanceOf(
    ContractError,
  );
  const { status } = await createChecked({ message: 'Not Found' }, 404).fetch(
    'https://github.test/api/v3/repos/a/b/labels/x',
  );
  expect(status).toBe(404);
});
