/** The only door of the pages to GitHub: requests by path with the visitor's token, answers parsed, refusals as one sentence. */
import { z } from 'zod';

export type PageRequest = (path: string, init?: RequestInit) => Promise<Response>;

/** A refusal that a person reads at the top of the page. */
export class PageError extends Error {
  override name = 'PageError';
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export type Call = { readonly method: string; readonly path: string; readonly body?: unknown };

export type Api = {
  /** Reads one answer; a path without `/` in front is below `/api/v3/`. */
  readonly get: <Out>(path: string, schema: z.ZodType<Out>) => Promise<Out>;
  /** As `get`, but `undefined` where GitHub says 404. */
  readonly find: <Out>(path: string, schema: z.ZodType<Out>) => Promise<Out | undefined>;
  /** Reads all pages of a list. */
  readonly list: <Out>(path: string, schema: z.ZodType<Out>) => Promise<readonly Out[]>;
  /** Writes; @throws PageError with GitHub's sentence. */
  readonly send: (call: Call) => Promise<unknown>;
  /** Follows one redirect within the server and gives back bytes or text, or `undefined` for 404. */
  readonly download: (path: string) => Promise<Response | undefined>;
};

/** Makes the door for one visitor; without a token it reads as anybody may. */
export function createApi(request: PageRequest, token: string | undefined): Api {
  const fetchAnswer = (call: Call): Promise<Response> => request(...wireOf(call, token));
  const parsed = async <Out>(response: Response, path: string, schema: z.ZodType<Out>): Promise<Out> => {
    if (!response.ok) throw await refusalOf(response, { method: 'GET', path });
    const answer = schema.safeParse(await response.json());
    if (!answer.success)
      throw new PageError(`GET ${path} answered something unexpected: ${z.prettifyError(answer.error)}`, 502);
    return answer.data;
  };
  const get: Api['get'] = async (path, schema) => parsed(await fetchAnswer({ method: 'GET', path }), path, schema);
  return {
    get,
    find: async (path, schema) => {
      const response = await fetchAnswer({ method: 'GET', path });
      return response.status === 404 ? undefined : parsed(response, path, schema);
    },
    list: (path, schema) => listAll((page) => get(`${path}${path.includes('?') ? '&' : '?'}${page}`, z.array(schema))),
    send: async (call) => {
      const response = await fetchAnswer(call);
      if (!response.ok) throw await refusalOf(response, call);
      return response.status === 204 ? undefined : response.json().catch(() => undefined);
    },
    download: async (path) => followOnce(request, await fetchAnswer({ method: 'GET', path }), path),
  };
}

/** Escapes each segment, so that names with `#`, `?` or spaces stay inside the path. */
export function pathOf(...segments: readonly (string | number)[]): string {
  return segments
    .flatMap((segment) => String(segment).split('/'))
    .map(encodeURIComponent)
    .join('/');
}

function wireOf(call: Call, token: string | undefined): [string, RequestInit] {
  const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'pages' });
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  const path = call.path.startsWith('/') ? call.path : `/api/v3/${call.path}`;
  const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
  return [path, { method: call.method, headers, redirect: 'manual', ...body }];
}

const PAGE_SIZE = 100;
const MOST_PAGES = 20;

async function listAll<Out>(read: (query: string) => Promise<readonly Out[]>): Promise<readonly Out[]> {
  const all: Out[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const items = await read(`per_page=${PAGE_SIZE}&page=${page}`);
    all.push(...items);
    if (items.length < PAGE_SIZE) return all;
  }
  return all;
}

async function followOnce(request: PageRequest, response: Response, path: string): Promise<Response | undefined> {
  if (response.status === 404 || response.status === 410) return undefined;
  const location = response.headers.get('location');
  if (!location) {
    if (!response.ok) throw await refusalOf(response, { method: 'GET', path });
    return response;
  }
  // The signed address needs no token, and the server that signed it is the one that we speak to.
  const { pathname, search } = new URL(location, 'http://localhost');
  const target = await request(pathname + search);
  if (!target.ok) throw await refusalOf(target, { method: 'GET', path: pathname });
  return target;
}

const refusal = z.object({
  message: z.string(),
  errors: z
    .array(
      z.union([
        z.string(),
        z.looseObject({ message: z.string().optional(), field: z.string().optional(), code: z.string().optional() }),
      ]),
    )
    .or(z.string())
    .optional(),
});

async function refusalOf(response: Response, call: Call): Promise<PageError> {
  const text = await response.text();
  const { message, errors } = parseRefusal(text);
  const details = (Array.isArray(errors) ? errors : [errors ?? '']).map((error) =>
    typeof error === 'string' ? error : (error.message ?? `${error.field ?? 'a field'} is ${error.code ?? 'wrong'}`),
  );
  const sentence = [message.replace(/[.\s]+$/, ''), ...details.filter((detail) => detail !== '')].join(': ');
  // What a person did they know themselves; of what a page reads, only the route tells what failed.
  const route = call.method === 'GET' ? ` (${response.status} for GET ${call.path})` : '';
  return new PageError(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${route}.`, response.status);
}

function parseRefusal(text: string): z.infer<typeof refusal> {
  try {
    const answer = refusal.safeParse(JSON.parse(text));
    if (answer.success) return answer.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { message: text.slice(0, 200) || 'The server gave no reason' };
}
