/** Why a call of a job is not made: one sentence with the status that it is said with, in a body that the SDKs of every dialect read. */

import { LoopError } from '../errors.ts';
import { REFUSAL_HEADER } from '../loop/call-headers.ts';

export interface RefusalOptions extends ErrorOptions {
  /** It may go well after so many seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** For programs; `loopwright_refusal` where nothing else is said. */
  readonly type?: string | undefined;
}

/** Thrown anywhere on the way of a call, and answered at its door. The message is read by whoever reads the job's log; it holds no secret. */
export class Refusal extends LoopError {
  override name = 'Refusal';
  readonly code: number;
  readonly retryAfterSeconds: number | undefined;
  readonly type: string;
  constructor(code: number, message: string, options: RefusalOptions = {}) {
    const { retryAfterSeconds, type = 'loopwright_refusal', cause } = options;
    super(message, { cause });
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.type = type;
  }
}

/**
 * OpenAI's SDKs read `error.message`, Anthropic's also `type`: https://docs.claude.com/en/api/errors. Both obey `x-should-retry`, whatever the status is;
 * without it they ask again after a 429 or 5xx only.
 */
export function refusalResponse({ code, message, retryAfterSeconds, type }: Refusal): Response {
  const body = { type: 'error', error: { type, message } };
  const isPassing = retryAfterSeconds !== undefined;
  const headers = {
    // Whoever reads it knows whose words these are.
    [REFUSAL_HEADER]: 'true',
    'x-should-retry': String(isPassing),
    ...(isPassing ? { 'retry-after': String(retryAfterSeconds) } : {}),
    ...(code === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  return Response.json(body, { status: code, headers });
}
