/** The REST door: who asks, which row of the request table, may they, is it well formed, and is the answer what GitHub's description promises. */
import type { Fields } from '../../referee/json.ts';
import type { RequestRow } from '../../referee/requests.ts';
import type { RouteMatch } from '../../referee/routes.ts';
import { judgeAccess, type Need, PUBLIC } from '../access.ts';
import { apiUrlOf, type Host } from '../host.ts';
import { found, HttpError, moved, notFound } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { findFormer, findRepository } from '../repository-records.ts';
import { readPermissionOf } from '../standing.ts';
import { type Actor, actorLabel, actorOf } from '../tokens.ts';
import { conditional, errorResponse, jsonResponse } from './answers.ts';
import { complete, FORGOTTEN } from './completion.ts';
import type { Call, Endpoints, Reply } from './endpoint.ts';
import { judgeWish } from './obeyed.ts';

/** Answers one REST request; `path` begins after the base and holds the query. */
export type Rest = (request: Request, path: string) => Promise<Response>;

/** A door to `endpoints`; every request is logged with its actor. */
export function createRest(host: Host, endpoints: Endpoints): Rest {
  return async (request, path) => {
    const begun = performance.now();
    let actor: Actor = { type: 'anonymous' };
    const respond = async (): Promise<Response> => {
      actor = actorOf(host, request.headers.get('authorization') ?? undefined);
      return conditional(request, await answer({ host, endpoints, request, path, actor }));
    };
    const response = await respond().catch((error: unknown) =>
      failureResponse(host, `${request.method} ${path}`, error),
    );
    const { version } = host.profile;
    if (version !== undefined) response.headers.set('x-github-enterprise-version', version);
    host.state.requests.insert({
      at: host.clock.now().toISOString(),
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
  const { host, request, actor } = asked;
  const path = presentPath(host, request.method, asked.path);
  const url = new URL(path, 'http://localhost');
  const match = host.contract.match(request.method, url.pathname);
  const endpoint = match && asked.endpoints[`${match.row.method} ${match.row.route}`];
  if (!match || !endpoint) throw new HttpError(404, `Not Found: ${request.method} ${url.pathname} is not served here`);
  const repository = match.row.route.includes('{owner}') ? findRepository(host, match.parameters) : undefined;
  if (match.row.route.includes('{owner}') && !repository) throw notFound();
  judgeAccess(host, { actor, need: needOf(endpoint.need, match.row.route), repository });
  const body = jsonOf(await request.text());
  judgeRequest(host, { method: request.method, path, body });
  judgeWish({ row: match.row, query: url.searchParams, body, accept: request.headers.get('accept') ?? '' });
  const call: Call = {
    host,
    actor,
    method: request.method,
    path,
    parameters: match.parameters,
    query: url.searchParams,
    body,
    headers: request.headers,
    repository,
  };
  return responseOf({ asked: { ...asked, path }, repository, match, reply: await endpoint.answer(call) });
}

/** What is private is read with a permission for what it is. */
function needOf(need: Need, route: string): Need {
  return need === PUBLIC ? { ...need, permission: readPermissionOf(route) } : need;
}

/** GitHub's links to further pages lead by the id. */
function pathById(path: string, repository: Repository | undefined): string {
  return repository ? path.replace(/^\/repos\/[^/]+\/[^/?]+/, `/repositories/${repository.id}`) : path;
}

/** A path by id, under the repository's present name; a former name leads to the id. @throws HttpError 301, 307 or 404 */
function presentPath(host: Host, method: string, path: string): string {
  const [, id, below = ''] = /^\/repositories\/(\d+)(?=[/?]|$)(.*)$/.exec(path) ?? [];
  if (id !== undefined) {
    const { owner, name } = found(host.state.repositories.get(Number(id)));
    return `/repos/${owner}/${name}${below}`;
  }
  const [, owner, repo, rest = ''] = /^\/repos\/([^/?]+)\/([^/?]+)(.*)$/.exec(path) ?? [];
  const former = owner && repo ? findFormer(host, { owner, repo }) : undefined;
  if (former) throw moved(method, `${apiUrlOf(host)}/repositories/${former.id}${rest}`);
  return path;
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
  readonly repository: Repository | undefined;
  readonly match: RouteMatch<RequestRow>;
  readonly reply: Reply;
}

function responseOf({ asked: { host, request, path }, repository, match, reply }: Answered): Response {
  if (reply.raw)
    return new Response(new Uint8Array(reply.raw), { status: reply.status, headers: { ...reply.headers } });
  const paged = pageOf(`${apiUrlOf(host)}${pathById(path, repository)}`, reply);
  const schema = host.contract.responseSchema(request.method, match.row.route, reply.status);
  const body = schema && paged.body !== undefined ? completed(host, match.row, schema, paged.body) : paged.body;
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
  const headers = { ...reply.headers, ...paged.headers };
  return jsonResponse(host.clock, { status: reply.status, body, headers });
}

/** The body as the description wants it; what an endpoint forgot is a problem of ours, and no reason to answer nothing. */
function completed(host: Host, { method, route }: RequestRow, schema: Fields, body: unknown): unknown {
  const subject = `${method} ${route}`;
  const { value, forgotten } = complete({ contract: host.contract, schema, subject, value: body, url: apiUrlOf(host) });
  for (const field of forgotten) host.reportProblem(`answer to ${subject}`, field, FORGOTTEN);
  return value;
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

function failureResponse(host: Host, subject: string, error: unknown): Response {
  if (error instanceof HttpError) return errorResponse(host.clock, error);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  host.reportProblem(subject, 'server', error instanceof Error ? (error.stack ?? message) : message);
  return jsonResponse(host.clock, { status: 500, body: { message: `Server Error: ${message}` } });
}

function jsonOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Problems parsing JSON');
  }
}
