/**
 * Keeps requests within GitHub's limits, together with all processes of the App. Each creation is counted before it is sent; points are taken in leases of ten
 * seconds, by which a process also learns what GitHub told another one. So a read costs the database nothing, and whoever reads all the time six rows a minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { CreationsLimitedError, LimitedError, LoopError, StoreError } from '../errors.ts';
import { isCreation } from './creations.ts';
import { LEASE_MS, LEASE_POINTS, type LimitAnswer, type LimitAsk, UNUSED } from './installation-limits.ts';
import { limitToldBy } from './told-limits.ts';

type Fetch = typeof globalThis.fetch;
/** Asks the database, as all processes of the App do. */
export type AskLimits = (installationId: number, ask: LimitAsk) => Promise<LimitAnswer>;

export interface LimiterOptions {
  readonly limits?: AskLimits;
  readonly now: () => Date;
  /** By this machine's timer when absent. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  readonly log: Logger;
}

/** What this process knows of an installation. */
interface Known {
  closed: LimitAnswer['closed'];
  /** Of the newest lease, until it lapses. */
  points: number;
  untilMs: number;
  leasing: Promise<number> | undefined;
  /** A GitHub Enterprise Server has no limits unless somebody switches them on; its answers then tell none. Undefined before the first of them. */
  isLimited: boolean | undefined;
}

interface Sending {
  readonly request: Request;
  readonly path: string;
  readonly installationId: number;
  readonly known: Known;
  readonly ask: (ask: LimitAsk) => Promise<LimitAnswer>;
  readonly nowMs: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Waited for in place; for longer an effect goes back into the queue. */
const PATIENCE_MS = 60_000;

/**
 * Makes, for each installation, a `fetch` that keeps to its limits; without `limits` it is `send` itself.
 * @throws {LimitedError} instead of sending, where it would have to wait: for a creation at once, else for more than a minute.
 */
export function createLimiter(
  { limits, log, now, pause = sleep }: LimiterOptions,
  send: Fetch,
): (installationId: number) => Fetch {
  if (limits === undefined) return () => send;
  const installations = new Map<number, Known>();
  return (installationId) => {
    const known = installations.get(installationId) ?? unknown();
    installations.set(installationId, known);
    return async (input, init) => {
      const request = new Request(input, init);
      const { pathname: path } = new URL(request.url);
      const ask = asking(limits, installationId);
      const nowMs = (): number => now().getTime();
      const sending: Sending = { request, path, installationId, known, ask, nowMs, pause };
      await pass(sending);
      if (isCreation({ method: request.method, path })) await book(sending);
      const response = await send(request);
      await heed(response, sending).catch((error: unknown) =>
        log.warn({ err: error, installationId }, 'what GitHub said of its limits is known to this process only'),
      );
      return response;
    };
  };
}

function unknown(): Known {
  return { closed: UNUSED.closed, points: 0, untilMs: 0, leasing: undefined, isLimited: undefined };
}

/** A database that fails is no answer of GitHub's. */
function asking(limits: AskLimits, installationId: number): Sending['ask'] {
  return async (ask) => {
    try {
      return await limits(installationId, ask);
    } catch (error) {
      if (error instanceof LoopError) throw error;
      const text = `The limits of installation ${installationId} could not be read, so nothing was sent; see that the database answers.`;
      throw new StoreError(text, { cause: error });
    }
  };
}

/** Waits until the request may be sent, as far as points and what GitHub said go. */
async function pass(sending: Sending): Promise<void> {
  let waitedMs = 0;
  for (;;) {
    const waitMs = await waitOf(sending);
    if (waitMs <= 0) return;
    waitedMs += waitMs;
    if (waitedMs > PATIENCE_MS) throw heldBack(sending, waitMs);
    await sending.pause(waitMs);
  }
}

/** Spends the points of the request; where it may not, the milliseconds after which it is to be tried again. */
async function waitOf(sending: Sending): Promise<number> {
  const { known } = sending;
  for (;;) {
    const toldMs = closedFor(sending);
    if (toldMs > 0) return toldMs;
    if (known.isLimited === false || spends(sending)) return 0;
    known.leasing ??= lease(sending).finally(() => {
      known.leasing = undefined;
    });
    const leaseMs = await known.leasing;
    if (leaseMs > 0) return leaseMs;
  }
}

/** GitHub: 1 for a read, 5 for anything else. Those of GraphQL, which has more, are counted among them. */
function spends({ request, known, nowMs }: Sending): boolean {
  const points = request.method === 'GET' ? 1 : 5;
  if (known.points < points || nowMs() >= known.untilMs) return false;
  known.points -= points;
  return true;
}

async function lease({ known, ask, nowMs }: Sending): Promise<number> {
  const askedMs = nowMs();
  const { waitMs, closed } = await ask({ type: 'points', nowMs: askedMs });
  known.closed = closed;
  if (waitMs <= 0) Object.assign(known, { points: LEASE_POINTS, untilMs: askedMs + LEASE_MS });
  return waitMs;
}

function closedFor({ path, known: { closed }, nowMs }: Sending): number {
  return Math.max(closed.all, path.endsWith('/graphql') ? closed.graphql : closed.core) - nowMs();
}

/** Counts a creation before it is sent. */
async function book(sending: Sending): Promise<void> {
  const { known, ask, nowMs } = sending;
  if (known.isLimited === false) return;
  const { waitMs, closed } = await ask({ type: 'creation', who: await whoOf(sending), nowMs: nowMs() });
  known.closed = closed;
  if (closedFor(sending) > 0) return pass(sending).then(() => book(sending));
  if (waitMs <= 0) return;
  const what = 'new comments, reactions and pull requests, as it takes 80 a minute and 500 an hour';
  const { text, seconds } = waiting(sending, waitMs, what);
  throw new CreationsLimitedError(text, seconds);
}

const opened = z.object({ head: z.string() });

/** The same for each try: an effect's text may be another one by then. What is opened in a repository is told apart by its branch. */
async function whoOf({ request, path }: Sending): Promise<string> {
  const body: unknown = await request.clone().json();
  const parsed = opened.safeParse(body);
  return parsed.success ? `${path} ${parsed.data.head}` : path;
}

function heldBack(sending: Sending, waitMs: number): LimitedError {
  const { text, seconds } = waiting(sending, waitMs, 'requests for now');
  return new LimitedError(text, seconds);
}

function waiting({ request, path, installationId }: Sending, waitMs: number, of: string) {
  const seconds = Math.ceil(waitMs / 1000);
  const text = `GitHub takes no more ${of}, for all of installation ${installationId}: ${request.method} ${path} waits ${seconds} s, and goes on by itself.`;
  return { text, seconds };
}

/** What GitHub says of its limits holds here at once, and for others when they look next; the same is told once. */
async function heed(response: Response, { path, known, ask, nowMs }: Sending): Promise<void> {
  const told = await limitToldBy(response, path);
  known.isLimited = known.isLimited === true || told.isLimited;
  if (told.forMs === undefined) return;
  const untilMs = nowMs() + told.forMs;
  if (known.closed[told.of] >= untilMs) return;
  known.closed = { ...known.closed, [told.of]: untilMs };
  known.closed = (await ask({ type: 'told', of: told.of, untilMs, nowMs: nowMs() })).closed;
}
