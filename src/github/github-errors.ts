/** What went wrong at GitHub: what passes by itself is tried again, everything else becomes one of our errors with GitHub's own words. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  GoneError,
  LimitedError,
  LoopError,
  type LoopErrorOptions,
  UnansweredError,
  WithheldError,
  WriteRefusedError,
} from '../errors.ts';
import { isSecondary } from './secondary-limit.ts';

/** Octokit's error for an HTTP answer; without `response` there was none. */
const httpError = z.object({
  name: z.literal('HttpError'),
  status: z.int(),
  message: z.string(),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({ headers: z.record(z.string(), z.unknown()) }).optional(),
  cause: z.unknown().optional(),
});
type HttpError = z.infer<typeof httpError>;

const TRIES = 4;
const LONGEST_WAIT_MS = 60_000;

export interface Attempts {
  /** Pause after the first failure; doubles each time. */
  readonly pauseMs: number;
  /** GitHub no longer takes the token: the next try must bring a new one. */
  readonly renew: () => void;
  /** How a pause is made; by this machine's timer when absent. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** How often it is tried; 4 when absent. */
  readonly most?: number;
}

/**
 * Performs an operation again when GitHub or the connection failed for the moment, and once where GitHub has nothing at an address: its replicas lag. The whole operation is repeated, and each looks first for what
 * an earlier try may have left, because a write that got no answer may have happened.
 * @throws {WriteRefusedError} when a write is refused, {UnansweredError} when it got no answer that tells, {GoneError} when there is nothing at the address
 * (any more), {LimitedError} when GitHub takes no more requests for longer than a minute, {LoopError} for everything else that GitHub answers; each with
 * GitHub's text and status.
 */
export function attempt<Value>(operation: () => Promise<Value>, attempts: Attempts): Promise<Value> {
  return attemptAfter(operation, attempts, { tries: 0, missed: new Set() });
}

interface Before {
  readonly tries: number;
  /** Requests that were answered 404. */
  readonly missed: ReadonlySet<string>;
}

async function attemptAfter<Value>(
  operation: () => Promise<Value>,
  attempts: Attempts,
  before: Before,
): Promise<Value> {
  let asked: string;
  try {
    return await operation();
  } catch (error) {
    const failure = httpError.safeParse(describe(error)).data;
    if (failure === undefined) throw causeOf(error);
    asked = addressOf(failure);
    if (failure.status === 401) attempts.renew();
    const waitMs = pauseAfter(failure, before, attempts);
    if (waitMs === undefined) throw finalError(failure, error, before.tries + 1);
    await (attempts.pause ?? sleep)(waitMs);
  }
  const missed = asked === '' ? before.missed : new Set([...before.missed, asked]);
  return attemptAfter(operation, attempts, { tries: before.tries + 1, missed });
}

/** Where GitHub said that there is nothing, whatever was asked of it: what is looked for may change with the moment. Empty for every other answer. */
function addressOf({ status, request }: HttpError): string {
  return status === 404 ? `${request.method} ${request.url.replace(/\?.*$/, '')}` : '';
}

/** How long to wait before the next try; undefined when there is none. */
function pauseAfter(
  failure: HttpError,
  { tries, missed }: Before,
  { pauseMs, most = TRIES }: Attempts,
): number | undefined {
  const isLast = tries + 1 >= most || missed.has(addressOf(failure));
  return isLast ? undefined : waitOf(failure, pauseMs * 2 ** tries);
}

/** What GitHub has at an address; undefined where it says twice that there is nothing. */
export async function ifThere<Value>(
  ask: () => Promise<Value>,
  { pauseMs, pause = sleep }: Pick<Attempts, 'pauseMs' | 'pause'>,
): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
  }
  await pause(pauseMs);
  try {
    return await ask();
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    return undefined;
  }
}

/** Undefined where there is nothing (any more), as `attempt` tells it. */
export async function unlessGone<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GoneError) return undefined;
    throw error;
  }
}

/** Whether GitHub answered with this status. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  const failure = httpError.safeParse(describe(error)).data;
  return failure?.response !== undefined && statuses.includes(failure.status);
}

/** The error of a write of which nobody knows whether it has happened, as ours, so that nothing tries it again; undefined for every other error. */
export function unansweredOf(error: unknown): LoopError | undefined {
  const failure = httpError.safeParse(describe(error)).data;
  return failure && leavesOpen(failure) ? finalError(failure, error, 1) : undefined;
}

/** No answer came, or GitHub failed while it was at work. */
function leavesOpen({ status, response }: HttpError): boolean {
  return response === undefined || status >= 500;
}

/** GitHub's own words, without the address of its documentation. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/ - https:\/\/docs\.github\.com\S*$/, '') : String(error);
}

/** What was thrown on the way (guard, contract, a redirect) comes wrapped as if a server had answered 500. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.name === 'HttpError' && isStopped(error.cause) ? error.cause : error;
}

function isStopped(cause: unknown): boolean {
  return cause instanceof LoopError || (cause instanceof Error && ['WireError', 'ContractError'].includes(cause.name));
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error) || isStopped(error.cause)) return undefined;
  return { ...error, name: error.name, message: error.message, cause: error.cause };
}

/** How long this failure lasts; undefined when trying again cannot help. */
function waitOf(failure: HttpError, growingMs: number): number | undefined {
  const { status, response } = failure;
  if (response === undefined || status >= 500 || status === 401 || status === 404) return growingMs;
  const limitedMs = limitedFor(failure);
  return limitedMs !== undefined && limitedMs <= LONGEST_WAIT_MS ? limitedMs : undefined;
}

/** GitHub counts by the hour, so that no limit lasts longer; a clock that is wrong by years says otherwise. */
const LONGEST_LIMIT_MS = 3_600_000;

/**
 * For how many milliseconds GitHub takes no more requests, undefined where that is not what it says. Its documentation: `retry-after` where it is
 * given; until `x-ratelimit-reset` where nothing remains; a minute otherwise.
 */
export function limitedFor({
  status,
  message,
  response,
}: Pick<HttpError, 'status' | 'message' | 'response'>): number | undefined {
  if (response === undefined || (status !== 403 && status !== 429)) return undefined;
  const after = Number(response.headers['retry-after']);
  const isUsedUp = response.headers['x-ratelimit-remaining'] === '0';
  if (status === 403 && !(after > 0) && !isUsedUp && !/\b(?:API|secondary) rate limit\b/i.test(message))
    return undefined;
  return limitMsOf(response.headers);
}

function limitMsOf(headers: Readonly<Record<string, unknown>>): number {
  const after = Number(headers['retry-after']);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  const resetMs = Number(headers['x-ratelimit-reset']) * 1000 - (Date.parse(String(headers.date)) || Date.now());
  const toldMs = after > 0 ? after * 1000 : isUsedUp && resetMs > 0 ? resetMs : LONGEST_WAIT_MS;
  return Math.min(toldMs, LONGEST_LIMIT_MS);
}

/** Whether GitHub takes no more requests for now: nobody was refused anything, and it is asked again. */
export function isLimit(error: unknown): boolean {
  const failure = httpError.safeParse(describe(error)).data;
  return failure !== undefined && limitedFor(failure) !== undefined;
}

/** Octokit's error for an answer of GraphQL, which comes with 200 whatever it says. */
const graphqlError = z.object({
  name: z.literal('GraphqlResponseError'),
  message: z.string(),
  headers: z.record(z.string(), z.unknown()).default({}),
  errors: z.array(z.object({ type: z.string().optional() })).default([]),
});

/** What GraphQL refused, as ours, told as `what` was not done; undefined for every other error. */
export function graphqlErrorOf(error: unknown, what: string): LoopError | undefined {
  const parsed = graphqlError.safeParse(describe(error)).data;
  if (parsed === undefined) return undefined;
  const text = `${what}: ${parsed.message}`;
  return parsed.errors.some(({ type }) => type === 'RATE_LIMITED') || isSecondary(parsed)
    ? new LimitedError(text, Math.ceil(limitMsOf(parsed.headers) / 1000), { cause: error })
    : (withheldOf(text, { cause: error }) ?? new LoopError(text, { cause: error }));
}

/** GitHub's words where the App may not do what it asks for: suspended, archived, without the permission, out of the installation. */
const WITHHELD =
  /installation has been suspended|archived so is read-only|Resource not accessible by integration|not accessible to the parent installation/i;

function withheldOf(text: string, options: LoopErrorOptions): WithheldError | undefined {
  return WITHHELD.test(text) ? new WithheldError(text, options) : undefined;
}

/** A write that was refused, told in this text. */
export function refusalOf(text: string, options: LoopErrorOptions): WriteRefusedError {
  return withheldOf(text, options) ?? new WriteRefusedError(text, options);
}

const GONE = [404, 410, 451];
const REFUSED = [403, 409, 422];

function finalError(failure: HttpError, error: unknown, tries: number): LoopError {
  const { method, url } = failure.request;
  const { pathname } = new URL(url);
  const isWrite = method !== 'GET';
  const status = failure.response && failure.status;
  const text =
    status === undefined
      ? `${method} ${pathname} got no answer${tries === 1 ? '' : ` in ${tries} tries`}: ${failure.message}`
      : `GitHub answered ${status} to ${method} ${pathname}: ${textOf(error)}`;
  const options = { cause: error, status };
  if (leavesOpen(failure)) return new UnansweredError(text, options);
  if (GONE.includes(failure.status)) return new GoneError(text, options);
  const limitedMs = limitedFor(failure);
  if (limitedMs !== undefined) return new LimitedError(text, Math.ceil(limitedMs / 1000), options);
  if (isWrite && REFUSED.includes(failure.status)) return refusalOf(text, options);
  return withheldOf(text, options) ?? new LoopError(text, options);
}
