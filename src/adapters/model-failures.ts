/** Why a call of the model failed, and whether another try could help. */
import { APIConnectionError, APIError } from 'openai';
import { z } from 'zod';
import { IdentityError } from '../errors.ts';
import { REFUSAL_HEADER } from '../loop/call-headers.ts';
import { ANSWER_MIB, isTooLarge } from './model-fetch.ts';
import { BrokenOffError } from './model-stream.ts';

/** A failed try: `what` goes into the error, `final` means that another try would fail in the same way. */
export interface Failure {
  readonly what: string;
  readonly final: boolean;
  /** For how long whoever refused it wants to be left alone. */
  readonly pauseMs?: number | undefined;
  /** The App's gateway was not reached: it is being restarted, or something before it is. */
  readonly isAway?: boolean;
}

interface Called {
  readonly baseUrl: string;
  /** Why it was waited for no longer, if so. */
  readonly impatience: string | undefined;
  /** Whether it is our own scripted model. */
  readonly scripted: boolean;
  /** Whether it is the App's gateway. */
  readonly isGateway: boolean;
}

/** Repeating these 4xx cannot help: the request itself is refused. 408, 409 and 429 may pass with time. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** What went wrong with a call, in words that never hold the prompt or the answer. Every error is a failed try, also one that nobody foresaw. */
export function failureOf(error: unknown, called: Called): Failure {
  const { impatience } = called;
  if (isTooLarge(error)) return { what: `an answer larger than ${ANSWER_MIB} MiB`, final: false };
  if (impatience !== undefined) return { what: impatience, final: false };
  if (error instanceof IdentityError) return { what: withoutEnd(error.message), final: true };
  if (error instanceof BrokenOffError) return { what: 'an answer that broke off', final: false };
  if (error instanceof APIConnectionError)
    return { what: `no connection${codeOf(error.cause)}`, final: false, isAway: called.isGateway };
  if (error instanceof APIError && error.status !== undefined) return answered(error, error.status, called);
  if (error instanceof SyntaxError) return { what: 'an answer that is no JSON', final: false };
  if (error instanceof TypeError) return { what: `a broken connection${codeOf(error.cause)}`, final: false };
  // Not its message: that may repeat what was sent or received.
  return { what: `an unexpected error${codeOf(error)}`, final: false };
}

const MOST_PAUSE_SECONDS = 60;

/** The App says itself what is wrong with the job, its loop or its budget, and whether it passes. */
function ownRefusal({ headers, error }: APIError, { isGateway }: Called): Failure | undefined {
  if (!isGateway || headers?.get(REFUSAL_HEADER) !== 'true') return undefined;
  const words = authoredError.safeParse(error).data?.message;
  if (words === undefined) return undefined;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isNaN(seconds)) return { what: withoutEnd(words), final: true };
  return { what: withoutEnd(words), final: false, pauseMs: Math.min(seconds, MOST_PAUSE_SECONDS) * 1000 };
}

/** It becomes a part of a sentence. */
function withoutEnd(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

const authoredError = z.object({ message: z.string() });

/** Our own scripted model says why it has no answer; the words of a foreign endpoint may repeat what it was sent, whatever it calls itself. */
function scriptedWords({ headers, error }: APIError, { scripted }: Called): Failure | undefined {
  if (!scripted || headers?.get('x-loopwright-scripted') !== 'true') return undefined;
  const words = authoredError.safeParse(error).data?.message;
  return words === undefined ? undefined : { what: words, final: true };
}

function answered(error: APIError, status: number, called: Called): Failure {
  const location = error.headers?.get('location');
  if (status < 400 && location) return redirected(location, called.baseUrl);
  return (
    ownRefusal(error, called) ??
    scriptedWords(error, called) ??
    unpaid(error, status) ?? { ...refusal(status), isAway: isBefore(error, called) }
  );
}

/** A 429 like that of a rate limit, but no wait ends it: https://platform.openai.com/docs/guides/error-codes */
const UNPAID = 'insufficient_quota';

function unpaid({ code, type }: APIError, status: number): Failure | undefined {
  return code === UNPAID || type === UNPAID ? { what: `HTTP ${status}${HINTS[402]}`, final: true } : undefined;
}

/** Only the host is told: the rest of the address may hold credentials. */
function redirected(location: string, baseUrl: string): Failure {
  const host = URL.parse(location, baseUrl)?.host || 'an address that cannot be read';
  const what = `LLM_BASE_URL answered with a redirect to ${host}; set LLM_BASE_URL to the address that answers itself`;
  return { what, final: true };
}

/** What a proxy answers while the App behind it is away: https://www.rfc-editor.org/rfc/rfc9110#section-15.6 */
const AWAY_STATUSES: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Somebody between job and App speaks, and says that there is nobody behind. */
function isBefore({ status, headers }: APIError, { isGateway }: Called): boolean {
  return isGateway && AWAY_STATUSES.has(status) && headers?.has(REFUSAL_HEADER) !== true;
}

const NAMES = ' (check the model name and the base URL)';

/** What to look at first; of other statuses the number is all that is known. */
const HINTS: Readonly<Record<number, string>> = {
  400: NAMES,
  401: ' (check the API key)',
  402: ' (check the credit of its account)',
  403: ' (check the API key)',
  404: NAMES,
  405: NAMES,
  410: NAMES,
  422: NAMES,
};

function refusal(status: number): Failure {
  const final = status < 500 && !PASSING_STATUSES.has(status);
  return { what: `HTTP ${status}${HINTS[status] ?? ''}`, final };
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  // Of ports that browsers connect to no more; https://fetch.spec.whatwg.org/#port-blocking. It has no code.
  if (cause.message === 'bad port') return ' (bad port)';
  if ('code' in cause && typeof cause.code === 'string') return ` (${cause.code})`;
  return codeOf(cause.cause);
}
