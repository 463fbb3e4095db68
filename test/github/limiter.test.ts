/** Two processes of the App before one GitHub: what they send together, and what the database is asked for it. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { LimitedError } from '../../src/errors.ts';
import { answered, LEASE_MS, type LimitAsk, UNUSED } from '../../src/github/installation-limits.ts';
import { createLimiter } from '../../src/github/limiter.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const API = 'https://api.github.com';
const INSTALLATION = 5;
const log = pino({ level: 'silent' });

type Answering = (request: Request) => Response;

const left = (remaining: number, more: Readonly<Record<string, string>> = {}): ResponseInit => ({
  headers: {
    ...{ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': String(remaining), date: new Date(START).toUTCString() },
    ...{ 'x-ratelimit-reset': String(START / 1000 + 1800), 'x-ratelimit-resource': 'core', ...more },
  },
});
const plenty: Answering = () => Response.json({}, left(4900));

/** Time passes only while somebody waits. */
function installation(answering: Answering = plenty) {
  let nowMs = START;
  let limits = UNUSED;
  const asks: LimitAsk['type'][] = [];
  const sent: string[] = [];
  const waits: number[] = [];
  const process = () => {
    const limiter = createLimiter(
      {
        limits: async (_, ask) => {
          asks.push(ask.type);
          const { limits: next, answer } = answered(limits, ask);
          limits = next;
          return answer;
        },
        now: () => new Date(nowMs),
        pause: async (milliseconds) => {
          waits.push(milliseconds);
          nowMs += milliseconds;
        },
        log,
      },
      async (input) => {
        const request = new Request(input);
        sent.push(`${request.method} ${new URL(request.url).pathname}`);
        return answering(request);
      },
    );
    const fetch = limiter(INSTALLATION);
    return {
      read: () => fetch(`${API}/repositories/1/issues`),
      write: (path: string) => fetch(`${API}${path}`, { method: 'POST', body: '{}' }),
      comment: (issue: number) => fetch(`${API}/repos/a/b/issues/${issue}/comments`, { method: 'POST', body: '{}' }),
      graphql: () => fetch(`${API}/graphql`, { method: 'POST', body: '{}' }),
    };
  };
  return {
    process,
    asks,
    sent,
    waits,
    pass: (milliseconds: number) => {
      nowMs += milliseconds;
    },
  };
}

const thrownBy = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an installation', () => {
  it('creates what has room, and says of the next when there is; reads go on', async () => {
    const { process, sent } = installation();
    const [one, other] = [process(), process()];
    for (let issue = 1; issue <= 70; issue += 1) await (issue % 2 === 0 ? one : other).comment(issue);
    const error = await thrownBy(one.comment(71));
    expect(error).toBeInstanceOf(LimitedError);
    expect(error).toMatchObject({ seconds: 75 });
    expect(String(error)).toContain('POST /repos/a/b/issues/71/comments waits 75 s');
    expect(sent).toHaveLength(70);
    await one.read();
    await other.read();
    expect(sent).toHaveLength(72);
  });

  it('asks the database for each creation, and for reads once in ten seconds', async () => {
    const { process, asks, pass } = installation();
    const one = process();
    for (let reads = 0; reads < 60; reads += 1) await one.read();
    expect(asks).toEqual(['points']);
    await one.comment(1);
    expect(asks).toEqual(['points', 'creation']);
    pass(LEASE_MS);
    await one.read();
    expect(asks).toEqual(['points', 'creation', 'points']);
  });

  it('takes one lease for all that is sent at the same moment', async () => {
    const { process, asks, sent } = installation();
    const one = process();
    await Promise.all(Array.from({ length: 30 }, () => one.read()));
    expect([sent.length, asks]).toEqual([30, ['points']]);
  });

  it('sends at most 900 points in a minute, and waits with what is more', async () => {
    const { process, sent, waits, pass } = installation();
    const [one, other] = [process(), process()];
    for (let writes = 0; writes < 90; writes += 1) await one.write('/repos/a/b/git/blobs');
    for (let writes = 0; writes < 72; writes += 1) await other.write('/repos/a/b/git/blobs');
    expect(await thrownBy(one.write('/repos/a/b/git/blobs'))).toMatchObject({ seconds: 85 });
    expect(await thrownBy(other.read())).toBeInstanceOf(LimitedError);
    expect([sent.length, waits]).toEqual([162, []]);
    pass(30_000);
    await other.read();
    expect([sent.length, waits]).toEqual([163, [55_000]]);
  });

  it('that GitHub refuses in one process is left alone by another within ten seconds, and by its creations at once', async () => {
    let isRefused = false;
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    const { process, sent, pass } = installation((request) =>
      isRefused ? Response.json({ message }, { status: 403, ...left(4000, { 'retry-after': '90' }) }) : plenty(request),
    );
    const [one, other] = [process(), process()];
    await other.read();
    isRefused = true;
    await one.read();
    isRefused = false;
    expect(await thrownBy(one.read())).toMatchObject({ seconds: 95 });
    expect(await thrownBy(other.comment(1))).toMatchObject({ seconds: 95 });
    expect(await thrownBy(other.read())).toMatchObject({ seconds: 95 });
    expect(sent).toHaveLength(2);
    pass(95_000);
    await other.read();
    await one.comment(1);
    expect(sent).toHaveLength(4);
  });

  it('whose hour is all but used up waits for the next one, before GitHub refuses anything', async () => {
    let remaining = 51;
    const { process } = installation(() => Response.json({}, left(remaining)));
    const [one, other] = [process(), process()];
    await one.read();
    remaining = 50;
    await one.read();
    expect(await thrownBy(one.read())).toMatchObject({ seconds: 1805 });
    expect(await thrownBy(other.read())).toMatchObject({ seconds: 1805 });
  });

  it('that has none left of GraphQL goes on by REST', async () => {
    const { process } = installation(({ url }) => Response.json({}, left(url.endsWith('/graphql') ? 0 : 4000)));
    const one = process();
    await one.graphql();
    expect(await thrownBy(one.graphql())).toBeInstanceOf(LimitedError);
    expect((await one.comment(1)).status).toBe(200);
  });

  it.each([
    [{ 'retry-after': '90' }, 95],
    [{}, 65],
  ])(
    'that GraphQL refuses by a secondary limit, with 200 and %j, sends nothing at all until then',
    async (more, seconds) => {
      const errors = [{ message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' }];
      const { process, sent } = installation(() => Response.json({ data: null, errors }, left(4000, more)));
      const [one, other] = [process(), process()];
      await one.graphql();
      expect(await thrownBy(one.comment(1))).toMatchObject({ seconds });
      expect(await thrownBy(other.comment(1))).toMatchObject({ seconds });
      expect(sent).toHaveLength(1);
    },
  );

  it('waits in place for less than a minute', async () => {
    let isRefused = true;
    const { process, sent, waits } = installation((request) => {
      if (!isRefused) return plenty(request);
      isRefused = false;
      return Response.json({ message: 'Slow down.' }, { status: 429, ...left(4000, { 'retry-after': '20' }) });
    });
    const one = process();
    await one.read();
    expect((await one.read()).status).toBe(200);
    expect([sent.length, waits]).toEqual([2, [25_000]]);
  });

  it('of a GitHub Enterprise Server that has no limits is held by none, and costs the database nothing', async () => {
    const { process, asks, sent } = installation(() => Response.json({}));
    const one = process();
    for (let issue = 1; issue <= 300; issue += 1) await one.comment(issue);
    expect(sent).toHaveLength(300);
    expect(asks).toEqual(['points', 'creation']);
  });

  it('is not waited for where GitHub refuses a write for another reason', async () => {
    const refused = { message: 'Resource not accessible by integration' };
    const { process, sent } = installation(() => Response.json(refused, { status: 403, ...left(4000) }));
    const one = process();
    expect(await (await one.comment(1)).json()).toEqual(refused);
    await one.comment(2);
    expect(sent).toHaveLength(2);
  });
});

it('nothing is sent where the database does not answer', async () => {
  const limits = async () => {
    throw new Error('connection refused');
  };
  const sent: unknown[] = [];
  const send = async (input: unknown) => {
    sent.push(input);
    return Response.json({});
  };
  const limiter = createLimiter({ limits, now: () => new Date(START), log }, send);
  const error = await thrownBy(limiter(INSTALLATION)(`${API}/repos/a/b`));
  expect(String(error)).toMatch(/limits of installation 5 could not be read, so nothing was sent/);
  expect(sent).toEqual([]);
});
