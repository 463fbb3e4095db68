/** The way in, with faults: whatever reaches the server passes here first, and may get another answer, a late one, half of one, or none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { now } from '../clock.ts';
import type { Host } from '../host.ts';
import { jsonResponse } from '../rest/answers.ts';
import { type Actor, actorLabel, actorOf, endToken } from '../tokens.ts';
import type { Asked, RequestFault } from './fault-rules.ts';
import { type Limited, limitsOf } from './limits.ts';

/** What a request came on, as far as an answer can be cut. */
interface Connection {
  readonly outgoing: {
    writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
    write(bytes: Uint8Array, written: () => void): boolean;
    destroy(): unknown;
  };
}

/** From a request, and the connection that it came on, to an answer. */
export type Answering = (request: Request, connection: Connection) => Response | Promise<Response>;

const API = '/api/v3';
/** Beside REST; the parameters are named as those of GitHub's description are. */
export const OTHER_ROUTES = [
  'POST /graphql',
  'GET /{owner}/{repo}/info/refs',
  'POST /{owner}/{repo}/git-upload-pack',
  'POST /{owner}/{repo}/git-receive-pack',
  'GET /_local/downloads/{kind}/{id}',
] as const;

/** Answers through `answer`, unless a fault or a limit strikes. */
export function underFaults(host: Host, answer: Answering): Answering {
  const limits = limitsOf(host);
  return async (request, connection) => {
    const path = pathOf(host, new URL(request.url).pathname);
    const right = async () => answer(request, connection);
    if (path === undefined) return right();
    const actor = actorIn(host, request);
    const { method } = request;
    const asked: Asked = { method, path, by: BY[actor.type], hasInstallationToken: actor.type === 'installation' };
    const fault = isOurs(actor) ? host.faults.ofRequest(asked, kindOf(host, asked)) : undefined;
    const log = (status: number) => logRequest(host, { request, actor, status });
    if (fault !== undefined) return struckBy(fault, { host, request, connection, right, log });
    const limit = limits.pass({ method, path, actor });
    if (limit.refusal === undefined) return limitedBy(limit, await right());
    log(limit.refusal.status);
    return limit.refusal;
  };
}

const BY: Readonly<Record<Actor['type'], Asked['by']>> = {
  anonymous: undefined,
  user: 'person',
  app: 'app',
  installation: 'app',
  job: 'job',
};

/** Other Apps are no part of what is tried. */
function isOurs(actor: Actor): boolean {
  return actor.type !== 'installation' || actorLabel(actor) === 'app';
}

/** A token that nobody knows is refused further in. */
function actorIn(host: Host, request: Request): Actor {
  try {
    return actorOf(host, request.headers.get('authorization') ?? undefined);
  } catch {
    return { type: 'anonymous' };
  }
}

/** The path as rules name it; undefined for pages and controls, which have no faults. */
function pathOf(host: Host, path: string): string | undefined {
  if (path.startsWith(`${API}/`)) return underName(host, path.slice(API.length));
  if (path === '/api/graphql' || path === '/graphql') return '/graphql';
  if (path.startsWith('/_local/downloads/')) return path;
  const [, place, service] =
    /^(\/[^/]+\/[^/]+?)(?:\.git)?(\/(?:info\/refs|git-(?:upload|receive)-pack))$/.exec(path) ?? [];
  return service === undefined ? undefined : `${place}${service}`;
}

/** What is asked for by the repository's id is the same request as by its name. */
function underName({ state }: Host, path: string): string {
  const [, id, rest] = /^\/repositories\/(\d+)(\/.*|)$/.exec(path) ?? [];
  const repository = id === undefined ? undefined : state.repositories.get(Number(id));
  return repository === undefined ? path : `/repos/${repository.owner}/${repository.name}${rest}`;
}

function kindOf({ contract }: Host, { method, path }: Asked): string {
  const row = contract.match(method, path)?.row;
  if (row !== undefined) return `${row.method} ${row.route}`;
  const other = OTHER_ROUTES.find((route) => `${method} ${path}`.endsWith(route.slice(route.lastIndexOf('/'))));
  return other ?? `${method} ${path}`;
}

/** In the log of requests. */
const NO_ANSWER = 0;

interface Struck {
  readonly host: Host;
  readonly request: Request;
  readonly connection: Connection;
  /** Performs the request. */
  readonly right: () => Promise<Response>;
  readonly log: (status: number) => void;
}

async function struckBy(fault: RequestFault, { host, request, connection, right, log }: Struck): Promise<Response> {
  const { delayMs, tokenOver, status, cut, performs } = fault;
  if (delayMs !== undefined) await sleep(delayMs, undefined, { signal: host.stopping.signal }).catch(() => undefined);
  if (tokenOver) endToken(host, request.headers.get('authorization') ?? '');
  if (status === undefined && !cut) return withFaultHeaders(host, await right(), fault);
  // Where it is not performed, it is in nobody else's log.
  const performed = performs ? await right() : undefined;
  if (performed === undefined) log(status ?? NO_ANSWER);
  return status === undefined ? cutOff(performed, connection) : refusalOf(host, { ...fault, status });
}

function refusalOf(host: Host, fault: RequestFault & { readonly status: number }): Response {
  const { status, body = { message: MESSAGES[status] ?? 'Refused by a fault', status: String(status) } } = fault;
  return withFaultHeaders(host, jsonResponse(host.clock, { status, body }), fault);
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Bad credentials',
  404: 'Not Found',
  410: 'Gone',
  422: 'Validation Failed',
  500: 'Server Error',
  502: 'Server Error',
  503: 'Service Unavailable',
};

function withFaultHeaders({ clock }: Host, response: Response, { headers }: RequestFault): Response {
  const written = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : String(Math.ceil(clock.now().getTime() / 1000) + value.inSeconds),
  ]);
  return withHeaders(response, Object.fromEntries(written));
}

function limitedBy({ headersOf }: Limited, response: Response): Response {
  return withHeaders(response, headersOf(response.status));
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  if (Object.keys(headers).length === 0) return response;
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(response.body, { status: response.status, headers: all });
}

/** Ends the connection: in the middle of the right answer, or before anything was sent. */
async function cutOff(right: Response | undefined, { outgoing }: Connection): Promise<Response> {
  const bytes = new Uint8Array((await right?.arrayBuffer()) ?? []);
  if (right !== undefined) {
    outgoing.writeHead(right.status, { ...Object.fromEntries(right.headers), 'content-length': bytes.length });
    await new Promise<void>((resolve) => void outgoing.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), resolve));
  }
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

function logRequest(
  host: Host,
  { request, actor, status }: { readonly request: Request; readonly actor: Actor; readonly status: number },
): void {
  const { pathname, search } = new URL(request.url);
  host.state.requests.insert({
    at: now(host),
    actor: actorLabel(actor),
    method: request.method,
    path: `${pathname.startsWith(API) ? pathname.slice(API.length) : pathname}${search}`,
    status,
    durationMs: 0,
  });
}
