/** How many requests GitHub takes in a minute, where that was set: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
import type { Clock } from '../clock.ts';
import type { Host } from '../host.ts';
import { jsonResponse } from '../rest/answers.ts';
import { type Actor, actorLabel } from '../tokens.ts';

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly actor: Actor;
}

export interface Limited {
  /** Of the answer; one that says only that nothing changed is taken off the count. */
  readonly headersOf: (status: number) => Readonly<Record<string, string>>;
  /** The answer to a request that is one too many. */
  readonly refusal?: Response;
}

/** What people see and are notified of: GitHub counts it for itself. */
const CREATIONS =
  /^\/repos\/[^/]+\/[^/]+\/(?:issues|pulls)(?:\/\d+\/(?:comments|reviews))?$|\/comments\/\d+\/reactions$/;
const WINDOW_MS = 60_000;
/** Where only creations are limited: a GitHub that has limits tells them with each answer. */
const PLENTY = 100_000;

interface Window {
  readonly endsMs: number;
  requests: number;
  creations: number;
}

/** Counts by who asks; a minute begins with the first request after the one before has ended. Without limits no answer has these headers, as on a GitHub Enterprise Server. */
export function limitsOf({ switches, clock }: Pick<Host, 'switches' | 'clock'>): { pass(passing: Passing): Limited } {
  const windows = new Map<string, Window>();
  const windowOf = (who: string): Window => {
    const nowMs = clock.now().getTime();
    const known = windows.get(who);
    if (known !== undefined && known.endsMs > nowMs) return known;
    const fresh = { endsMs: nowMs + WINDOW_MS, requests: 0, creations: 0 };
    windows.set(who, fresh);
    return fresh;
  };
  return {
    pass({ method, path, actor }) {
      const { requestsPerMinute, creationsPerMinute } = switches.values();
      const isFree = requestsPerMinute === null && creationsPerMinute === null;
      if (isFree || !isCounted(path)) return FREE;
      const window = windowOf(actorLabel(actor));
      const primary = primaryLimit(clock, window, requestsPerMinute ?? PLENTY);
      const creates = method === 'POST' && CREATIONS.test(path);
      if (primary.refusal !== undefined || creationsPerMinute === null || !creates) return primary;
      return { ...primary, ...secondaryLimit(clock, window, creationsPerMinute) };
    },
  };
}

const FREE: Limited = { headersOf: () => ({}) };

/** https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate */
const NOT_MODIFIED = 304;

function primaryLimit(clock: Clock, window: Window, limit: number): Limited {
  const isOver = window.requests >= limit;
  if (!isOver) window.requests += 1;
  const headersOf = (status: number) => {
    if (status === NOT_MODIFIED) window.requests -= 1;
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - window.requests),
      'x-ratelimit-used': String(window.requests),
      'x-ratelimit-reset': String(Math.ceil(window.endsMs / 1000)),
      'x-ratelimit-resource': 'core',
    };
  };
  const message = 'API rate limit exceeded for installation.';
  return isOver ? { headersOf, refusal: refusalOf(clock, message, headersOf(403)) } : { headersOf };
}

function secondaryLimit(clock: Clock, window: Window, limit: number): Pick<Limited, 'refusal'> {
  window.creations += 1;
  if (window.creations <= limit) return {};
  const seconds = Math.max(1, Math.ceil((window.endsMs - clock.now().getTime()) / 1000));
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return { refusal: refusalOf(clock, message, { 'retry-after': String(seconds) }) };
}

function refusalOf(clock: Clock, message: string, headers: Readonly<Record<string, string>>): Response {
  return jsonResponse(clock, { status: 403, body: { message, documentation_url: DOCUMENTATION }, headers });
}

const DOCUMENTATION = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';

/** git and downloads are not the API. */
function isCounted(path: string): boolean {
  return !/^\/_local\/|\/(?:info\/refs|git-upload-pack|git-receive-pack)$/.test(path);
}
