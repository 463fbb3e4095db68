/** The token with which a job asks the App for models: whom it is asked of, how long one lasts, and what is said where none comes. */
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { IdentityError } from '../../src/errors.ts';
import { createIdentityToken } from '../../src/jobs/identity-token.ts';
import { listening } from '../listening.ts';

const MINUTE_MS = 60_000;
const AUDIENCE = 'https://loopwright.test';
const tokenOf = (count: number, { exp = 600 }: { readonly exp?: number } = {}) =>
  `h.${Buffer.from(JSON.stringify({ iat: 1000, exp: 1000 + exp, count })).toString('base64url')}.s`;

type Reply = (response: ServerResponse, count: number) => void;
const gives: Reply = (response, count) => response.end(JSON.stringify({ value: tokenOf(count) }));
const lasts =
  (exp: number): Reply =>
  (response, count) =>
    response.end(JSON.stringify({ value: tokenOf(count, { exp }) }));
const answers =
  (status: number): Reply =>
  (response) =>
    response.writeHead(status).end();
const says =
  (text: string): Reply =>
  (response) =>
    response.end(text);

/** GitHub's side, which gives the replies in order, the last one again and again; and a clock that the test moves. */
async function github(...replies: readonly Reply[]) {
  const asked: { readonly url: string | undefined; readonly authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, authorization: request.headers.authorization });
    replies[Math.min(asked.length, replies.length) - 1]?.(response, asked.length);
  });
  onTestFinished(() => void server.close());
  const clock = { ms: 1_000_000 };
  const url = `${await listening(server)}/idtoken?api-version=2`;
  const token = createIdentityToken({ url, token: 'asks', audience: AUDIENCE, now: () => clock.ms, pauseMs: 1 });
  return { asked, clock, token };
}

test("is asked for with the job's own token, for the App's address", async () => {
  const { asked, token } = await github(gives);
  expect(await token()).toBe(tokenOf(1));
  expect(asked).toEqual([
    { url: '/idtoken?api-version=2&audience=https%3A%2F%2Floopwright.test', authorization: 'Bearer asks' },
  ]);
});

test('serves all calls at a time, and until it would soon be too old for the App', async () => {
  const { asked, clock, token } = await github(gives);
  expect(await Promise.all([token(), token(), token()])).toEqual([tokenOf(1), tokenOf(1), tokenOf(1)]);
  clock.ms += 7 * MINUTE_MS;
  expect(await token()).toBe(tokenOf(1));
  clock.ms += 2 * MINUTE_MS;
  expect(await Promise.all([token(), token()])).toEqual([tokenOf(2), tokenOf(2)]);
  expect(asked).toHaveLength(2);
});

test.each([
  ['five minutes, for three', 300, 2, 1],
  ['five minutes, and not for four', 300, 4, 2],
  ['an hour, and not for longer than the App takes it', 3600, 9, 2],
])('that is valid for %s', async (_, exp, minutes, requests) => {
  const { asked, clock, token } = await github(lasts(exp));
  await token();
  clock.ms += minutes * MINUTE_MS;
  await token();
  expect(asked).toHaveLength(requests);
});

test.each<[string, Reply]>([
  ['answers 503', answers(503)],
  ['hangs up', (response) => response.socket?.destroy()],
  ['gives no JSON', says('<html>')],
  ['gives no token', says('{}')],
])('is asked for again where GitHub %s once', async (_, reply) => {
  const { token } = await github(reply, gives);
  expect(await token()).toBe(tokenOf(2));
});

test('that never comes is an error that says why, and neither what was sent nor what came', async () => {
  const { asked, token } = await github(answers(500));
  await expect(token()).rejects.toThrow(
    new IdentityError('GitHub gave the job no identity in 5 tries: it answered 500.'),
  );
  expect(asked).toHaveLength(5);
});

test('that did not come is asked for again by the next call', async () => {
  const { token } = await github(...Array.from({ length: 5 }, () => answers(500)), gives);
  await expect(token()).rejects.toThrow(IdentityError);
  expect(await token()).toBe(tokenOf(6));
});
