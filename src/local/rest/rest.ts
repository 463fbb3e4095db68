/** The REST door: who asks, which row of the request table, may they, is it well formed, and is the answer what GitHub's description promises. */
import type { RequestRow } from '../../referee/requests.ts';
import type { RouteMatch } from '../../referee/routes.ts';
import { judgeAccess } from '../access.ts';
import { apiUrlOf, type Host, now } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import { findRepository } from '../repository-records.ts';
import { type Actor, actorLabel, actorOf } from '../tokens.ts';
import { complete } from './completion.ts';
import type { Call, Endpoints, Reply } from './endpoint.ts';

/** Answers one REST request; `path` begins after the base and holds the query. */
export type Rest = (request: Request, path: string) => Promise<Response>;

/** A door to `endpoints`; every request is logged with its actor. */
export function createRest(host: Host, endpoints: Endpoints): Rest {
  return async (request, path) => {
    const begun = performance.now();
    let actor: Actor = { type: 'anonymous' };
    const respond = async (): Promise<Response> => {
      actor = actorOf(host, request.headers.get('authorization') ?? undefined);
      return answer({ host, endpoints, request, path, actor });
    };
    const response = await respond().catch((error: unknown) => errorResponse(host, `${request.method} ${path}`, error));
    host.state.requests.insert({
      at: new Date().toISOString(),
      actor: actorLabel(actor),
      method: request.method,
      path,
      status: response.status,
      durationMs: Math.round(performance.now() - begun),
    });
    return response;
  };
}

interface Asked {
  readonly host: Host;
  readonly endpoints: Endpoints;
  readonly request: Request;
  readonly path: string;
  readonly actor: Actor;
}

async function answer(asked: Asked): Promise<Response> {
  const { host, request, path, actor } = asked;
  const url = new URL(path, 'http://localhost');
  const match = host.contract.match(request.method, url.pathname);
  const endpoint = match && asked.endpoints[`${match.row.method} ${match.row.route}`];
  if (!match || !endpoint) throw new HttpError(404, `Not Found: ${request.method} ${url.pathname} is not served here`);
  const repository = match.row.route.includes('{owner}') ? findRepository(host, match.parameters) : undefined;
  if (match.row.route.includes('{owner}') && !repository) throw notFound();
  judgeAccess(host, { actor, need: endpoint.need, repository });
  const body = jsonOf(await request.text());
  judgeRequest(host, { method: request.method, path, body });
  const call: Call = {
    host,
    actor,
    parameters: match.parameters,
    query: url.searchParams,
    body,
    headers: request.headers,
    repository,
  };
  return responseOf({ asked, match, reply: await endpoint.answer(call) });
}

function judgeRequest(
  host: Host,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
): void {
  const problems = host.contract.request(method, path, body);
  if (problems.length === 0) return;
  for (const { where, message } of problems) host.reportProblem(`request ${method} ${path}`, where, message);
  const text = problems.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new HttpError(422, `Invalid request.\n\n${text}`, problems);
}

interface Answered {
  readonly asked: Asked;
  readonly match: RouteMatch<RequestRow>;
  readonly reply: Reply;
}

function responseOf({ asked: { host, request, path }, match, reply }: Answered): Response {
  if (reply.raw)
    return new Response(new Uint8Array(reply.raw), { status: reply.status, headers: { ...reply.headers } });
  const paged = pageOf(`${apiUrlOf(host)}${path}`, reply);
  const schema = host.contract.responseSchema(request.method, match.row.route, reply.status);
  const body =
    schema && paged.body !== undefined ? complete(host.contract, schema, paged.body, apiUrlOf(host)) : paged.body;
  const problems = host.contract.response(
    request.method,
    path,
    reply.status,
    body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
  );
  if (problems.length > 0) {
    const text = problems.map(({ where, message }) => `${where} ${message}`).join('; ');
    for (const { where, message } of problems)
      host.reportProblem(`answer ${reply.status} to ${request.method} ${path}`, where, message);
    throw new HttpError(500, `This answer differs from GitHub's description: ${text}`);
  }
  return jsonResponse(reply.status, body, { ...reply.headers, ...paged.headers });
}

const PAGE_SIZE = 30;
const LARGEST_PAGE = 100;

function pageOf(url: string, reply: Reply): { readonly body: unknown; readonly headers: Record<string, string> } {
  const { items, wrap } = reply;
  if (!items) return { body: reply.body, headers: {} };
  const query = new URL(url).searchParams;
  const size = Math.min(Math.max(Number(query.get('per_page') ?? PAGE_SIZE) || PAGE_SIZE, 1), LARGEST_PAGE);
  const page = Math.max(Number(query.get('page') ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const shown = items.slice((page - 1) * size, page * size);
  const links = [
    ...(page < last ? [linkTo(url, page + 1, 'next'), linkTo(url, last, 'last')] : []),
    ...(page > 1 ? [linkTo(url, 1, 'first'), linkTo(url, page - 1, 'prev')] : []),
  ];
  return {
    body: wrap ? wrap(shown, items.length) : shown,
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

function linkTo(url: string, page: number, relation: string): string {
  const target = new URL(url);
  target.searchParams.set('page', String(page));
  return `<${target.href}>; rel="${relation}"`;
}

function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>>): Response {
  const common = { 'x-github-request-id': `local-${now()}`, ...headers };
  if (body === undefined) return new Response(null, { status, headers: common });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...common },
  });
}

function errorResponse(host: Host, subject: string, error: unknown): Response {
  if (error instanceof HttpError) {
    const errors = error.errors.length > 0 ? { errors: error.errors } : {};
    const documentation = 'https://docs.github.com/rest';
    return jsonResponse(
      error.status,
      { message: error.message, ...errors, documentation_url: documentation, status: String(error.status) },
      {},
    );
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  host.reportProblem(subject, 'server', error instanceof Error ? (error.stack ?? message) : message);
  return jsonResponse(500, { message: `Server Error: ${message}` }, {});
}

function jsonOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Problems parsing JSON');
  }
}
