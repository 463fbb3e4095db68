/** One request to an upstream, tried again before anything of its answer came. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Breaker } from './breaker.ts';
import { Refusal } from './refusal.ts';

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts when the job has gone or nothing comes. */
  readonly signal: AbortSignal;
}

export interface Patience {
  readonly tries: number;
  /** After the first try; it doubles with each further one. */
  readonly pauseMs: number;
  /** A `retry-after` beyond it is not waited for: the job is told of it instead. */
  readonly longestPauseMs: number;
}

export const PATIENCE: Patience = { tries: 4, pauseMs: 500, longestPauseMs: 20_000 };

/** May pass with time, though the request stays as it is. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

type Tried = { readonly response: Response } | { readonly error: unknown };

/**
 * What the upstream answered, whatever its status; redirects are not followed.
 * @throws {Refusal} 502 where it gave no answer in all tries, 503 while it is left alone. @throws what the signal was aborted with.
 */
export async function send(sending: Sending, breaker: Breaker, patience: Patience): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    breaker.admit();
    const tried = await tryOnce(sending);
    breaker.heard(isOutage(tried) ? 'wrong' : 'well');
    const pauseMs = pauseOf(tried, attempt, patience);
    if (pauseMs === undefined) return answerOf(tried, attempt);
    if ('response' in tried) await tried.response.body?.cancel();
    await sleep(pauseMs, undefined, { signal: sending.signal });
  }
}

async function tryOnce({ url, headers, body, signal }: Sending): Promise<Tried> {
  try {
    return { response: await globalThis.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { error };
  }
}

function isOutage(tried: Tried): boolean {
  return 'error' in tried || tried.response.status >= 500;
}

/** Milliseconds until another try; undefined where there is none. */
function pauseOf(tried: Tried, attempt: number, { tries, pauseMs, longestPauseMs }: Patience): number | undefined {
  const canPass = isOutage(tried) || ('response' in tried && PASSING.has(tried.response.status));
  if (!canPass || attempt === tries) return undefined;
  const own = pauseMs * 2 ** (attempt - 1);
  const asked = 'response' in tried ? askedPauseMs(tried.response.headers) : undefined;
  if (asked === undefined) return Math.min(own, longestPauseMs);
  return asked > longestPauseMs ? undefined : Math.max(asked, own);
}

/** In seconds, or as a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function askedPauseMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function answerOf(tried: Tried, tries: number): Response {
  if ('response' in tried) return tried.response;
  throw new Refusal(502, `The model's endpoint gave no answer in ${tries} tries${codeOf(tried.error)}.`, {
    retryAfterSeconds: 30,
    cause: tried.error,
  });
}

/** The code alone: a message may name the address, which may hold credentials. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return ` (${error.code})`;
  return codeOf(error.cause);
}
