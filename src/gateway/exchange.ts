/** One call that is paid for: sent, answered, settled, and kept. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findCanaries, withoutSecrets } from '../guard/secrets.ts';
import { keptText, transcriptOf } from '../guard/transcript.ts';
import { callHeaders, REFUSAL_HEADER } from '../loop/call-headers.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { nameOf } from '../loop/terms.ts';
import { createAnswerText } from './answer-text.ts';
import { boundedBody } from './bounded-body.ts';
import type { Breaker } from './breaker.ts';
import type { Dialect, DialectName, Upstream } from './dialects.ts';
import type { Booking, Label } from './ledger.ts';
import { Refusal } from './refusal.ts';
import { type Ending, relayed } from './relay.ts';
import type { Prepared } from './request-body.ts';
import { createSilence, type Silence, SilenceError } from './silence.ts';
import { type Patience, send } from './upstream.ts';
import { createMeter, type Usage, unheard } from './usage.ts';

/** Whom a dialect's calls go to, and what is known of it. */
export interface Line {
  readonly name: DialectName;
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  readonly breaker: Breaker;
  /** What may leave in no answer and stay in no transcript. */
  readonly canaries: readonly string[];
}

export interface Exchange {
  readonly request: Request;
  readonly line: Line;
  readonly loop: StartedLoop;
  readonly prepared: Prepared;
  readonly booking: Booking;
  readonly label: Label;
  readonly at: string;
}

export interface ExchangeOptions {
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly silenceMs: number;
  readonly patience: Patience;
}

/** Far above any answer that can be used. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const NOTHING: Usage = { promptTokens: 0, completionTokens: 0 };
/** Beside these no header of a job reaches the upstream, */
const REQUEST_HEADERS = ['content-type', 'accept', 'anthropic-version', 'anthropic-beta'] as const;
/** and no other of the upstream reaches the job. */
const RESPONSE_HEADERS = ['content-type', 'request-id', 'x-request-id', 'retry-after'] as const;

/** Gives what the job is answered. Whatever happens, the call is settled before the job sees its end. @throws {Refusal} */
export async function exchange(call: Exchange, options: ExchangeOptions): Promise<Response> {
  const silence = createSilence(options.silenceMs);
  const signal = AbortSignal.any([call.request.signal, silence.signal]);
  const answer = createAnswerText();
  const meter = createMeter(call.prepared.text.length, answer.hear);
  let status: number | undefined;
  const keptRequest = once(() => keptText(call.prepared.text, call.line.canaries));
  const startedMs = performance.now();
  const left = (): Usage => unheard(meter.used(false), call.prepared, performance.now() - startedMs);
  const usedAt = (ending: Ending): Usage => (isLeft(ending, silence) ? left() : meter.used(ending === 'whole'));
  const ended = (ending: Ending, used = usedAt(ending)): Promise<void> =>
    settled(call, options, { ending, used, status, request: keptRequest, answer: answer.text() + meter.rest() });
  try {
    const [response] = await Promise.all([
      silence.during(() => send(sendingOf(call, signal), call.line.breaker, options.patience)),
      // While the upstream thinks, once it has been asked: of a long request it takes longer than all else here.
      setImmediate().then(keptRequest),
    ]);
    status = response.status;
    if (!response.ok) {
      const refused = await refusedAnswer(response, call.line, answer.add);
      await ended('refused', NOTHING);
      return refused;
    }
    if (isStream(response) && response.body !== null) {
      const body = relayed(response.body, {
        key: call.line.upstream.apiKey,
        silence,
        take: meter.readEvents,
        ended: (ending) => ended(endingOf(ending, call.request)),
      });
      return new Response(body, { headers: headersOf(response, call.line) });
    }
    const bytes = await silence.during(() => wholeAnswer(response, call.line));
    const text = bytes.toString('utf8');
    answer.add(text);
    meter.readAnswer(text);
    await ended('whole');
    return new Response(bytes, { headers: headersOf(response, call.line) });
  } catch (error) {
    const ending = endingOf('broken', call.request);
    // The upstream has the prompt, and may have begun to answer, or come to the end of what is too long to be handed on.
    await ended(ending, isLeft(ending, silence) || status === 200 ? left() : NOTHING);
    throw problemOf(error, call.line, ending === 'gone');
  }
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function sendingOf({ request, line, prepared, label, loop }: Exchange, signal: AbortSignal) {
  const { dialect, upstream } = line;
  const passed = REQUEST_HEADERS.flatMap((name) => {
    const value = request.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    url: `${upstream.baseUrl.replace(/\/$/, '')}${dialect.upstreamPath}`,
    headers: { ...dialect.keyHeaders(upstream.apiKey), ...labelHeaders(label, loop), ...Object.fromEntries(passed) },
    body: prepared.text,
    signal,
  };
}

/** As with the App's own calls: an endpoint or proxy of the team may count by them. */
function labelHeaders({ phase, skill, role, attempt }: Label, { ref }: StartedLoop): Record<string, string> {
  return callHeaders({ loop: nameOf(ref), phase, skill, role, attempt });
}

/** The upstream's answer breaks off because the job has gone, sooner or later than we are told of that. */
function endingOf(ending: Ending, { signal }: Request): Ending {
  return ending === 'broken' && signal.aborted ? 'gone' : ending;
}

/** Nobody waits any longer, and what is made meanwhile is paid all the same. */
function isLeft(ending: Ending, { signal }: Silence): boolean {
  return ending === 'gone' || signal.aborted;
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('text/event-stream') === true;
}

function headersOf({ headers }: Pick<Response, 'headers'>, { canaries }: Line): Record<string, string> {
  const passed = RESPONSE_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null || findCanaries(value, canaries).length > 0 ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    [REFUSAL_HEADER]: 'false',
    // A proxy that gathers a stream, or keeps an answer, would undo what is done here.
    ...{ 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  };
}

/** @throws {Refusal} where it is too large, or holds the key. */
async function wholeAnswer(response: Response, line: Line): Promise<Buffer<ArrayBuffer>> {
  const bytes = await boundedBody(response.body, ANSWER_BYTES);
  if (bytes === undefined)
    throw new Refusal(502, `The endpoint of ${line.dialect.variables.baseUrl} gave an answer larger than 16 MiB.`);
  if (findCanaries(bytes.toString('utf8'), line.canaries).length > 0) throw echoed(line);
  return bytes;
}

function echoed({ dialect }: Line): Refusal {
  return new Refusal(
    502,
    `The endpoint of ${dialect.variables.baseUrl} gave an answer with a secret of the App in it.`,
  );
}

const REFUSED_BYTES = 256 * 1024;

/** What is the App's own fault is said as that; what is the request's, in the upstream's words. */
async function refusedAnswer(response: Response, line: Line, keep: (text: string) => void): Promise<Response> {
  const { status } = response;
  const { baseUrl, key } = line.dialect.variables;
  const bytes = await boundedBody(response.body, REFUSED_BYTES);
  const text = withoutSecrets(bytes?.toString('utf8') ?? '', line.canaries);
  keep(text);
  if (status < 400)
    throw new Refusal(
      502,
      `The endpoint of ${baseUrl} answered with a redirect; set ${baseUrl} to the address that answers itself.`,
    );
  if (status === 401 || status === 403)
    throw new Refusal(502, `The endpoint of ${baseUrl} refused the App's own key (HTTP ${status}); set ${key} anew.`);
  return new Response(text, { status, headers: headersOf(response, line) });
}

function problemOf(error: unknown, { dialect }: Line, hasGone: boolean): Refusal {
  if (error instanceof Refusal) return error;
  const { baseUrl } = dialect.variables;
  // Nobody reads it.
  if (hasGone) return new Refusal(499, 'The job has gone.', { cause: error });
  const isSilent = error instanceof SilenceError;
  const what = isSilent ? `is silent: ${error.message}` : 'gave an answer that broke off';
  return new Refusal(isSilent ? 504 : 502, `The endpoint of ${baseUrl} ${what}.`, {
    retryAfterSeconds: 5,
    cause: error,
  });
}

interface Outcome {
  readonly ending: Ending;
  readonly used: Usage;
  readonly status: number | undefined;
  /** As it is to be kept. */
  readonly request: () => string;
  readonly answer: string;
}

/** Never throws: a call that cannot be settled stays reserved, and counts as that. */
async function settled(
  { line, loop, booking, at }: Exchange,
  { log }: ExchangeOptions,
  { ending, used, status, request, answer }: Outcome,
): Promise<void> {
  const { name: dialect, upstream, canaries } = line;
  const subject = { call: booking.id, loop: nameOf(loop.ref), dialect, model: upstream.model, status, ending };
  try {
    const said = { request: request(), answer: keptText(answer, canaries) };
    const { call, usd: costUsd, transcript } = await booking.settle(used, transcriptOf({ ...subject, at, ...said }));
    log.info({ ...subject, ...call, costUsd, transcript }, 'a job asked a model');
  } catch (error) {
    log.error({ ...subject, err: error }, 'a call of a job could not be settled or kept; it counts as it was reserved');
  }
}
