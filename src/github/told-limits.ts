/** What an answer of GitHub's says of its limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api. */
import { z } from 'zod';
import { limitedFor } from './github-errors.ts';
import type { Counted } from './installation-limits.ts';
import { isSecondary } from './secondary-limit.ts';

export interface ToldLimit {
  /** Whether it says anything of limits. */
  readonly isLimited: boolean;
  readonly of: Counted;
  /** For how long nothing more is to be sent; undefined while something may. */
  readonly forMs: number | undefined;
}

const said = z.object({ message: z.string() });
const refusal = said.partial().extend({ errors: z.array(said).nullish().catch(undefined) });

/** Reads the body of a refusal and of an answer of GraphQL only, and leaves it to be read again. */
export async function limitToldBy(response: Response, path: string): Promise<ToldLimit> {
  const headers = Object.fromEntries(response.headers);
  const resource = path.endsWith('/graphql') ? 'graphql' : 'core';
  if (response.status === 403 || response.status === 429) return refusedBy(response, headers, resource);
  const told = resource === 'graphql' && response.ok ? await secondaryIn(response, headers) : undefined;
  if (told !== undefined) return told;
  const isTold = isTelling(headers);
  return { isLimited: isTold, of: resource, forMs: isTold ? usedUpFor(headers) : undefined };
}

type Headers = Readonly<Record<string, string>>;

const isTelling = (headers: Headers): boolean => headers['x-ratelimit-limit'] !== undefined;

async function refusedBy(response: Response, headers: Headers, resource: Counted): Promise<ToldLimit> {
  const message = await wordsOf(response);
  const forMs = limitedFor({ status: response.status, message, response: { headers } });
  // A count that is used up is that of the resource; whatever else GitHub refuses for holds for all.
  const of = headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined ? resource : 'all';
  return { isLimited: isTelling(headers) || forMs !== undefined, of, forMs };
}

async function secondaryIn(response: Response, headers: Headers): Promise<ToldLimit | undefined> {
  const message = await wordsOf(response);
  return isSecondary({ message, headers })
    ? { isLimited: true, of: 'all', forMs: limitedFor({ status: 429, message, response: { headers } }) }
    : undefined;
}

async function wordsOf(response: Response): Promise<string> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const { message, errors } = refusal.safeParse(body).data ?? {};
  return [message ?? [], ...(errors ?? []).map((error) => error.message)].flat().join(' ');
}

/** Of each hundred requests of the hour one is left alone: others are under way at the same time. */
const LEFT_ALONE = 100;

function usedUpFor(headers: Headers): number | undefined {
  const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const limit = Number(headers['x-ratelimit-limit']);
  if (!(remaining <= Math.floor(limit / LEFT_ALONE))) return undefined;
  return limitedFor({ status: 429, message: '', response: { headers: { ...headers, 'x-ratelimit-remaining': '0' } } });
}
