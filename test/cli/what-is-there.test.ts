/** What `npm start` says of a directory that was used before. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { whatIsThere } from '../../src/cli/what-is-there.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { stoppedLoop, waitingLoop } from '../render/loops.ts';

const ANSWERS: Record<string, unknown> = {
  '/api/v3/repos/acme/shop': { id: 2 },
  '/api/v3/repos/acme/shop/issues?state=all&per_page=100': [
    { number: 6, title: 'Count visitors', state: 'open' },
    { number: 5, title: 'Filter (#4)', state: 'open', pull_request: {} },
    { number: 4, title: 'Filter', state: 'open' },
    { number: 3, title: 'Sort', state: 'open' },
    { number: 2, title: 'Page', state: 'open' },
    { number: 1, title: 'Old', state: 'closed' },
  ],
  '/api/v3/repos/acme/shop/pulls/13': { number: 13, state: 'open', draft: true, merged_at: null },
  '/api/v3/repos/acme/shop/pulls/14': { number: 14, state: 'closed', draft: false, merged_at: '2026-01-02T03:04:05Z' },
  '/api/v3/repos/acme/shop/pulls/15': { number: 15, state: 'open', draft: false, merged_at: null },
};
const succeededAs = (pull: number): Loop => {
  const waiting = waitingLoop();
  return { ...waiting, status: 'succeeded', phase: 'REFLECT', review: { ...waiting.review, pull } };
};
const LOOPS = new Map<number, Loop>([
  [4, stoppedLoop()],
  [3, succeededAs(14)],
  [2, succeededAs(15)],
]);

let server: Server;
let githubUrl: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = ANSWERS[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  githubUrl = `http://127.0.0.1:${z.object({ port: z.int() }).parse(server.address()).port}`;
});
afterAll(() => void server.close());

test('every issue is said with its pull request, its state, and what can be done next', async () => {
  const newest = async (_repositoryId: number, issue: number) => {
    const loop = LOOPS.get(issue);
    return loop === undefined ? undefined : { loop, version: 1 };
  };
  const place = { githubUrl, repositories: ['acme/shop'], token: 'maria-token', store: { newest } };
  expect(`\n${(await whatIsThere(place)).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    acme/shop#6 “Count visitors”: add the label \`loop\` to it.
    acme/shop#4 “Filter”: pull request #13 (draft). Stopped, needs a person. The approved plan did not lead to a verified candidate in 3 iterations. BUILD: test_failures 1 (needs <= 0).
    acme/shop#3 “Sort”: merged as pull request #14; nothing is left to do.
    acme/shop#2 “Page”: pull request #15. All gates passed. The pull request is ready for review; a person merges it.
    acme/shop#1 “Old”: closed.
    "
  `);
});
