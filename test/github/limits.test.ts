/** What GitHub says when it takes no more requests: for how long an effect waits, and that a refusal is no limit. */
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LimitedError, WriteRefusedError } from '../../src/errors.ts';
import { createFixed } from '../../src/github/fixed.ts';
import type { Call } from '../../src/github/github-client.ts';
import { moveRef } from '../../src/github/github-commits.ts';
import { attempt } from '../../src/github/github-errors.ts';
import { markReady } from '../../src/github/github-pulls.ts';
import { wire } from '../../src/github/wire.ts';
import { sleepNock, wakeNock } from '../nock.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const date = new Date(NOW).toUTCString();
const resetIn = (seconds: number): string => String(NOW / 1000 + seconds);
const quiet = (): void => {};
const QUIET = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
}

const apiUrl = 'https://api.github.com';
const COMMENTS = '/repos/acme/shop/issues/1/comments';

// Everything goes through the App's own wire to github.com, which nock stands in for: what would reach another host fails.
beforeAll(() => wakeNock().disableNetConnect());
afterEach(() => wakeNock().cleanAll());
afterAll(sleepNock);

function commented(): Promise<unknown> {
  const octokit = new Octokit({ baseUrl: apiUrl, request: { fetch: wire({ apiUrl, checked: false }) }, log: QUIET });
  return octokit.rest.issues.createComment({ owner: 'acme', repo: 'shop', issue_number: 1, body: 'x' });
}

/** Creates a comment on a github.com that answers like this every time. */
async function refused({ status, headers = {}, message = 'API rate limit exceeded' }: Refusal): Promise<unknown> {
  wakeNock()(apiUrl)
    .persist()
    .post(COMMENTS)
    .reply(status, { message }, { date, ...headers });
  return attempt(commented, { pauseMs: 1, renew: () => {} }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a limit of GitHub', () => {
  it.each<[string, Refusal, number]>([
    ['as long as GitHub says', { status: 403, headers: { 'retry-after': '90' } }, 90],
    ['as long as GitHub says with 429', { status: 429, headers: { 'retry-after': '61' } }, 61],
    [
      'until the count begins anew, by the clock of GitHub',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetIn(2400) } },
      2400,
    ],
    [
      'an hour at the most, whatever a wrong clock says',
      { status: 429, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetIn(9_000_000) } },
      3600,
    ],
  ])('is waited for: %s', async (_, refusal, seconds) => {
    const error = await refused(refusal);
    expect(error).toBeInstanceOf(LimitedError);
    expect(error).toMatchObject({ seconds });
    expect(String(error)).toContain('POST /repos/acme/shop/issues/1/comments');
  });

  it('that says nothing of its length lasts a minute', async () => {
    const answers = wakeNock()(apiUrl)
      .post(COMMENTS)
      .reply(403, { message: SECONDARY }, { date })
      .post(COMMENTS)
      .reply(201, { id: 1 }, { date });
    const waits: number[] = [];
    await attempt(commented, {
      pauseMs: 1,
      renew: () => {},
      pause: async (milliseconds) => void waits.push(milliseconds),
    });
    expect(waits).toEqual([60_000]);
    expect(answers.isDone()).toBe(true);
  });
});

it('a write that is refused is no limit', async () => {
  const error = await refused({ status: 403, message: 'Resource not accessible by integration' });
  expect(error).toBeInstanceOf(WriteRefusedError);
});

describe('an operation that tells refusals by itself', () => {
  /** What it throws on a GitHub that has no such ref and answers every write like this. */
  async function thrownBy(operation: (call: Call) => Promise<unknown>, answerToWrite: () => Response) {
    const fetch = async (_: unknown, { method = 'GET' }: { method?: string } = {}) =>
      method === 'GET' ? Response.json([]) : answerToWrite();
    const call: Call = {
      isFirst: true,
      octokit: new Octokit({ request: { fetch }, log: QUIET }),
      here: { owner: 'acme', repo: 'shop' },
      self: { appId: 1, login: 'loopwright[bot]' },
      now: () => new Date(NOW),
      ifThere: (ask) => ask(),
      markdown: String,
      plain: String,
      secretIn: () => undefined,
      fixed: createFixed(),
      repositoryId: 1,
    };
    return attempt(() => operation(call), { pauseMs: 1, renew: quiet }).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  it('takes a limit on moving a branch for a limit', async () => {
    const answer = () => Response.json({ message: SECONDARY }, { status: 403, headers: { date, 'retry-after': '90' } });
    const error = await thrownBy((call) => moveRef(call, 'refs/heads/x', '0'.repeat(40)), answer);
    expect(error).toBeInstanceOf(LimitedError);
    expect(error).toMatchObject({ seconds: 90 });
  });

  it('takes a refusal that only names a file called rate limit for a refusal', async () => {
    const message = 'refusing to allow a GitHub App to create or update workflow `.github/workflows/rate limit.yml`';
    const answer = () => Response.json({ message }, { status: 403, headers: { date } });
    const error = await thrownBy((call) => moveRef(call, 'refs/heads/x', '0'.repeat(40)), answer);
    expect(error).toBeInstanceOf(WriteRefusedError);
  });

  it('takes a limit of GraphQL, which comes with 200, for a limit', async () => {
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    const headers = { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetIn(1800) };
    const error = await thrownBy(
      (call) => markReady(call, 'PR_1'),
      () => Response.json({ data: null, errors }, { headers }),
    );
    expect(error).toBeInstanceOf(LimitedError);
    expect(error).toMatchObject({ seconds: 1800 });
  });

  it.each<[Readonly<Record<string, string>>, number]>([
    [{ 'retry-after': '90' }, 90],
    [{}, 60],
  ])('takes a secondary limit of GraphQL, which comes with 200 and %j, for a limit of %i s', async (told, seconds) => {
    const headers = { date, 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': resetIn(1800), ...told };
    const error = await thrownBy(
      (call) => markReady(call, 'PR_1'),
      () => Response.json({ data: null, errors: [{ message: SECONDARY }] }, { headers }),
    );
    expect(error).toBeInstanceOf(LimitedError);
    expect(error).toMatchObject({ seconds });
  });
});
