/**
 * The door of models for jobs: `<PUBLIC_URL>/gateway/v1` is a base URL for OpenAI's SDKs, `<PUBLIC_URL>/gateway/anthropic` one for Anthropic's, and the job's OIDC token is
 * their key. The App holds the real one.
 */
import { Hono } from 'hono';
import { PHASES } from '../loop/phases.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { type PhaseName, phaseName } from '../loop/terms.ts';
import type { Clock, Store } from '../ports.ts';
import { boundedBody } from './bounded-body.ts';
import { createBreaker } from './breaker.ts';
import { type Caller, createCallers } from './caller.ts';
import { DIALECT_NAMES, DIALECTS, type Dialect, type DialectName, type Upstreams } from './dialects.ts';
import { type ExchangeOptions, exchange, type Line } from './exchange.ts';
import type { Identity } from './identity.ts';
import { type Booking, createLedger, type Label } from './ledger.ts';
import { Refusal, refusalResponse } from './refusal.ts';
import { prepared } from './request-body.ts';
import { PATIENCE, type Patience } from './upstream.ts';

export interface ModelGatewayOptions extends Pick<ExchangeOptions, 'log'> {
  readonly identity: Identity;
  readonly store: Pick<Store, 'byRun' | 'load' | 'overview' | 'reserveFor' | 'release' | 'settle'>;
  readonly clock: Clock;
  readonly upstreams: Upstreams;
  /** Secrets of the App, beside the upstreams' keys. */
  readonly canaries: readonly string[];
  /** For how long nothing may come of an upstream, before its answer begins or in the midst of it. */
  readonly silenceMs?: number;
  readonly patience?: Patience;
}

const REQUEST_MIB = 10;
/** Some models think for minutes before the first word. */
const SILENCE_MS = 300_000;

/** Every refusal is one sentence in JSON; no call reaches an upstream before its job, its request and its budget were found good. */
export function createModelGateway(options: ModelGatewayOptions): Hono {
  const { clock, upstreams, canaries } = options;
  const settings: ExchangeOptions = { silenceMs: SILENCE_MS, patience: PATIENCE, ...options };
  const ledger = createLedger(options);
  const callers = createCallers(options);
  const booked = async (caller: Caller, reserve: () => Promise<Booking>): Promise<Booking> => {
    try {
      const booking = await reserve();
      callers.remember(caller, booking.loop);
      return booking;
    } catch (error) {
      callers.forget(caller);
      throw error;
    }
  };
  const app = new Hono();
  for (const name of DIALECT_NAMES) {
    const dialect = DIALECTS[name];
    const line = lineOf(name, { clock, upstreams, canaries });
    app.post(dialect.path, async ({ req: { raw: request } }) => {
      const caller = await callers.of(tokenIn(request, dialect));
      if (line === undefined) throw unconfigured(dialect);
      const { model } = line.upstream;
      const asked = prepared(await textOf(request), dialect, model);
      const at = clock.now().toISOString();
      const label = labelOf(request, caller.loop);
      const booking = await booked(caller, () => ledger.reserve(caller, { label, model, expected: asked.expected }));
      return exchange({ request, line, loop: booking.loop, prepared: asked, booking, label, at }, settings);
    });
  }
  app.all('/gateway/*', ({ req: { method, path } }) => {
    const served = DIALECT_NAMES.map((name) => `POST ${DIALECTS[name].path}`).join(', ');
    throw new Refusal(404, `${method} ${path} is not served here; ${served} are.`);
  });
  app.onError((error) => {
    if (error instanceof Refusal) return refusalResponse(error);
    options.log.error({ err: error }, 'a call of a job failed in the gateway');
    return refusalResponse(
      new Refusal(500, 'The App itself failed over the call; its log says why.', { retryAfterSeconds: 5 }),
    );
  });
  return app;
}

function lineOf(
  name: DialectName,
  { clock, upstreams, canaries }: Pick<ModelGatewayOptions, 'clock' | 'upstreams' | 'canaries'>,
): Line | undefined {
  const upstream = upstreams[name];
  if (upstream === undefined) return undefined;
  const dialect = DIALECTS[name];
  const breaker = createBreaker({ name: dialect.variables.baseUrl, clock });
  return { name, dialect, upstream, breaker, canaries: [upstream.apiKey, ...canaries] };
}

function unconfigured({ path, variables }: Dialect): Refusal {
  return new Refusal(501, `No endpoint is configured for ${path}; set ${variables.baseUrl} in the App's environment.`);
}

function tokenIn({ headers }: Request, { tokenIn: names }: Dialect): string | undefined {
  const found = names.map((name) =>
    headers
      .get(name)
      ?.replace(/^Bearer(?: +|$)/i, '')
      .trim(),
  );
  return found.find((value) => value !== undefined && value !== '');
}

async function textOf(request: Request): Promise<string> {
  const most = REQUEST_MIB * 1024 * 1024;
  const said = Number(request.headers.get('content-length') ?? Number.NaN);
  // What says its length comes as long as that or not at all, and is read in one piece sooner than in parts.
  const reading = said <= most ? request.arrayBuffer().then(Buffer.from) : boundedBody(request.body, most);
  const bytes = await reading.catch((error: unknown) => {
    if (request.signal.aborted) throw new Refusal(499, 'The job has gone.', { cause: error });
    throw error;
  });
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new Refusal(413, `The request is larger than ${REQUEST_MIB} MiB; send less of the conversation.`);
}

/** What the model port of the job says of its call; other agents say nothing. It names the row, and opens nothing. */
function labelOf({ headers }: Request, { phase }: StartedLoop): Label {
  const said = (name: string): string => headers.get(`x-loopwright-${name}`) ?? '';
  const attempt = Number(said('attempt'));
  return {
    phase: phaseSaid(said('phase')) ?? phase,
    skill: wordIn(said('skill')) ?? 'agent',
    role: wordIn(said('role')) ?? 'builder',
    attempt: Number.isInteger(attempt) && attempt > 0 && attempt < 1000 ? attempt : 1,
  };
}

/** One that is judged by the report of a BUILD run. */
function phaseSaid(text: string): PhaseName | undefined {
  const { data } = phaseName.safeParse(text);
  return data !== undefined && (PHASES[data].job === 'build' || PHASES[data].runOf === 'BUILD') ? data : undefined;
}

function wordIn(text: string): string | undefined {
  return /^[\w-]{1,60}$/.test(text) ? text : undefined;
}
