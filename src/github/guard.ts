/** The App's last door to the wire: only its rows of the request table pass. */
import { z } from 'zod';
import { type Fetch, restPathOf } from '../referee/checked-fetch.ts';
import { KNOWN_DOCUMENTS, knownRequest } from '../referee/graphql.ts';
import { type Condition, GIT_SERVICES, REQUESTS, type RequestRow } from '../referee/requests.ts';
import { createRouter, describedPath, type RouteMatch } from '../referee/routes.ts';

/** A request that the App must never send; it was stopped before the wire. */
export class WireError extends Error {
  override name = 'WireError';

  constructor(method: string, path: string, reason: string) {
    super(`${method} ${path} was stopped before the wire: ${reason}`);
  }
}

export interface GuardOptions {
  readonly fetch: Fetch;
  /** REST base address, with or without a trailing slash. */
  readonly apiUrl: string;
  /** GraphQL address; derived from `apiUrl` when absent. */
  readonly graphqlUrl?: string;
  /** Branches that the App owns begin with this: `loopwright/`. */
  readonly branchPrefix: string;
  /** File names of the workflows that the App may start. */
  readonly workflows: readonly string[];
  /** Rows that pass besides the App's. */
  readonly besides?: readonly RequestRow[];
}

interface Subject extends Pick<GuardOptions, 'branchPrefix' | 'workflows'> {
  readonly found: RouteMatch<RequestRow>;
  readonly body: unknown;
}

/** Whether the App may use a git service over HTTP: reading only. */
export function mayUseGitService(service: string): boolean {
  return GIT_SERVICES.includes(service);
}

/**
 * Wraps `fetch` so that only the App's rows of the request table leave, reads also by the repository's id. An artifact's redirect is followed without our
 * token; one within the API is handed back, because only the caller knows which repository it may lead to.
 * @throws WireError for everything else, before anything is sent.
 */
export function guardedFetch(options: GuardOptions): Fetch {
  const base = options.apiUrl.replace(/\/$/, '');
  const graphqlUrl = options.graphqlUrl ?? graphqlUrlOf(base);
  const match = createRouter([...REQUESTS.filter(({ by }) => by !== 'person'), ...(options.besides ?? [])]);
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const text = await request.clone().text();
    judgeClarity(request, pathname, text);
    if (request.url === graphqlUrl) {
      judgeGraphql(request.method, parseBody(text));
      return options.fetch(request);
    }
    const path = restPathOf(base, request.url);
    if (path === undefined) throw new WireError(request.method, request.url, 'the address is not the GitHub API');
    const found = match(request.method, describedPath(path.replace(/\?.*$/, '')));
    if (!found || (request.method !== 'GET' && path.startsWith('/repositories/')))
      throw new WireError(request.method, pathname, 'it is not among the requests that the App may send');
    judgePath(request.method, path.replace(/\?.*$/, ''));
    const broken = brokenCondition({
      found,
      body: parseBody(text),
      branchPrefix: options.branchPrefix,
      workflows: options.workflows,
    });
    if (broken) throw new WireError(request.method, pathname, broken);
    return followToStorage(options.fetch, request, base);
  };
}

/** What we read is what the server reads: each key of a body once, and no header that changes the method. */
function judgeClarity({ method, headers }: Request, path: string, text: string): void {
  if (headers.has('x-http-method-override')) throw new WireError(method, path, 'it asks for another method');
  if (text !== '' && JSON.stringify(parseBody(text)) !== text)
    throw new WireError(
      method,
      path,
      'its body is not JSON as JSON.stringify writes it, so it could be read in two ways',
    );
}

/** `//`, `.` and `..` segments could make a server read another route than we matched. */
function judgePath(method: string, path: string): void {
  const segments = decoded(method, path).split('/').slice(1);
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new WireError(method, path, 'the path has an empty or a dot segment');
  }
}

function decoded(method: string, path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new WireError(method, path, 'the path is not well encoded');
  }
}

function graphqlUrlOf(base: string): string {
  return base.endsWith('/api/v3') ? `${base.slice(0, -'/v3'.length)}/graphql` : `${base}/graphql`;
}

function judgeGraphql(method: string, sent: unknown): void {
  if (method === 'POST' && knownRequest(sent) !== undefined) return;
  throw new WireError(method, '/graphql', `the only documents that the App may send are ${KNOWN_DOCUMENTS.join(', ')}`);
}

const refBody = z.object({ ref: z.string() });
const headBody = z.object({ head: z.string() });
const commentingBody = z.object({ event: z.literal('COMMENT') });
const editBody = z.strictObject({ title: z.string().optional(), body: z.string().optional() });

/** Each condition says what is wrong, or nothing. */
const CONDITIONS: Readonly<Record<Condition, (subject: Subject) => string | undefined>> = {
  'own ref in body': ({ body, branchPrefix }) => {
    const ref = refBody.safeParse(body).data?.ref;
    return ref !== undefined && isOwnRef(ref, branchPrefix) ? undefined : `the App may not write the ref "${ref}"`;
  },
  'own ref in path': ({ found, branchPrefix }) => {
    const ref = `refs/${found.parameters.ref}`;
    return isOwnRef(ref, branchPrefix) ? undefined : `the App may not write the ref "${ref}"`;
  },
  'own head branch': ({ body, branchPrefix }) => {
    const head = headBody.safeParse(body).data?.head;
    return head?.startsWith(branchPrefix)
      ? undefined
      : `the App may open a pull request from its own branches only, not from "${head}"`;
  },
  'own workflow': ({ found, workflows }) => {
    const workflow = found.parameters.workflow_id;
    return workflow !== undefined && workflows.includes(workflow)
      ? undefined
      : `the App may start its own workflows only, not "${workflow}"`;
  },
  'title and body only': ({ body }) =>
    editBody.safeParse(body).success ? undefined : 'the App may change title and body of a pull request only',
  'no verdict': ({ body }) =>
    commentingBody.safeParse(body).success ? undefined : 'the App approves nothing and requests no changes',
};

/** Whether a full ref is one that the App may write: below `refs/heads/<prefix>` or `refs/loopwright/`. */
export function isOwnRef(ref: string, branchPrefix: string): boolean {
  const owned = [`refs/heads/${branchPrefix}`, 'refs/loopwright/'].find((start) => ref.startsWith(start));
  return owned !== undefined && ref.length > owned.length && !/(^|\/)\.|\.\.|\/\/|\/$|[\s~^:?*[\\]/.test(ref);
}

function brokenCondition(subject: Subject): string | undefined {
  const { condition } = subject.found.row;
  return condition && CONDITIONS[condition](subject);
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An artifact is kept on a storage host, which must not see our token; only reads lead there. */
async function followToStorage(fetch: Fetch, request: Request, base: string): Promise<Response> {
  const response = await fetch(new Request(request, { redirect: 'manual' }));
  const location = response.headers.get('location');
  if (response.status < 300 || response.status > 399 || !location) return response;
  const target = new URL(location, request.url);
  if (restPathOf(base, target.href) !== undefined) return response;
  if (request.method !== 'GET') throw new WireError(request.method, target.href, 'only a read may be redirected');
  return fetch(new Request(target, { signal: request.signal }));
}
