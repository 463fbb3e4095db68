/** What GitHub says when it takes no more requests: for how long an effect waits, and that a refusal is no limit. */
import { Octokit } from '@octokit/rest';
import { describe, expect, it } from 'vitest';
import { LimitedError, WriteRefusedError } from '../../src/errors.ts';
import type { Call } from '../../src/github/github-client.ts';
import { moveRef } from '../../src/github/github-commits.ts';
import { attempt } from '../../src/github/github-errors.ts';
import { markReady } from '../../src/github/github-pulls.ts';

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

/** Creates a comment on a GitHub that answers like this every time. */
async function refused({ status, headers = {}, message = 'API rate limit exceeded' }: Refusal): Promise<unknown> {
  const answer = async () => Response.json({ message }, { status, headers: { date, ...headers } });
  const octokit = new Octokit({ request: { fetch: answer }, log: QUIET });
  const write = () => octokit.rest.issues.createComment({ owner: 'acme', repo: 'shop', issue_number: 1, body: 'x' });
  return attempt(write, { pauseMs: 1, renew: () => {} }).then(
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
    const { octokit, asked } = limitedOnce();
    const write = () => octokit.rest.issues.createComment({ owner: 'acme', repo: 'shop', issue_number: 1, body: 'x' });
    const waits: number[] = [];
    await attempt(write, { pauseMs: 1, renew: () => {}, pause: async (milliseconds) => void waits.push(milliseconds) });
    expect(waits).toEqual([60_000]);
    expect(asked()).toBe(2);
  });
});

/** A GitHub that names its secondary limit without a header, and then takes the comment. */
function limitedOnce() {
  let asked = 0;
  const answer = async () => {
    asked += 1;
    return asked === 1
      ? Response.json({ message: SECONDARY }, { status: 403, headers: { date } })
      : Response.json({ id: 1 }, { status: 201, headers: { date } });
  };
  return {
    octokit: new Octokit({ request: { fetch: answer }, log: QUIET }),
    asked: () => asked,
  };
}

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
      octokit: new Octokit({ request: { fetch }, log: QUIET }),
      here: { owner: 'acme', repo: 'shop' },
      self: { appId: 1, login: 'loopwright[bot]' },
      now: () => new Date(NOW),
      ifThere: (ask) => ask(),
      markdown: String,
      plain: String,
      secretIn: () => undefined,
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
});
