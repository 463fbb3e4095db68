/** What an answer of GitHub's says of its limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api. */
import { z } from 'zod';
import { limitedFor } from './github-errors.ts';
import type { Counted } from './installation-limits.ts';

export interface ToldLimit {
  /** Whether it says anything of limits. */
  readonly isLimited: boolean;
  readonly of: Counted;
  /** For how long nothing more is to be sent; undefined while something may. */
  readonly forMs: number | undefined;
}

const refusal = z.object({ message: z.string() });

/** Reads the body of a refusal only, and leaves it to be read again. */
export async function limitToldBy(response: Response, path: string): Promise<ToldLimit> {
  const headers = Object.fromEntries(response.headers);
  const resource = path.endsWith('/graphql') ? 'graphql' : 'core';
  const isTold = headers['x-ratelimit-limit'] !== undefined;
  if (response.status !== 403 && response.status !== 429)
    return { isLimited: isTold, of: resource, forMs: isTold ? usedUpFor(headers) : undefined };
  const message =
    refusal.safeParse(
      await response
        .clone()
        .json()
        .catch(() => undefined),
    ).data?.message ?? '';
  const forMs = limitedFor({ status: response.status, message, response: { headers } });
  // A count that is used up is that of the resource; whatever else GitHub refuses for holds for all.
  const of = headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined ? resource : 'all';
  return { isLimited: isTold || forMs !== undefined, of, forMs };
}

/** Of each hundred requests of the hour one is left alone: others are under way at the same time. */
const LEFT_ALONE = 100;

function usedUpFor(headers: Readonly<Record<string, string>>): number | undefined {
  const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const limit = Number(headers['x-ratelimit-limit']);
  if (!(remaining <= Math.floor(limit / LEFT_ALONE))) return undefined;
  return limitedFor({ status: 429, message: '', response: { headers: { ...headers, 'x-ratelimit-remaining': '0' } } });
}
