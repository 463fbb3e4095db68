/** The server's front door: git, REST, GraphQL, what is local only, and the pages. */
import { Hono } from 'hono';
import { actionEndpoints } from './actions.ts';
import { appEndpoints } from './app-endpoints.ts';
import { checkEndpoints } from './checks.ts';
import { commentEndpoints } from './comments.ts';
import { contentEndpoints } from './contents.ts';
import type { Endpoints } from './endpoint.ts';
import { gitDataEndpoints } from './git-data.ts';
import { answerGit } from './git-http.ts';
import { answerGraphql } from './graphql.ts';
import { historyEndpoints } from './history.ts';
import type { Host } from './host.ts';
import { issueEndpoints } from './issues.ts';
import { labelEndpoints } from './labels.ts';
import { createLocalEndpoints } from './local-endpoints.ts';
import { mergeEndpoints } from './merges.ts';
import { createPages } from './pages.ts';
import { pullEndpoints } from './pulls.ts';
import { reactionEndpoints } from './reactions.ts';
import { refEndpoints } from './refs.ts';
import { repositoryEndpoints } from './repositories.ts';
import { createRest } from './rest.ts';

const ENDPOINTS: Endpoints = {
  ...appEndpoints,
  ...repositoryEndpoints,
  ...issueEndpoints,
  ...labelEndpoints,
  ...commentEndpoints,
  ...reactionEndpoints,
  ...gitDataEndpoints,
  ...refEndpoints,
  ...contentEndpoints,
  ...historyEndpoints,
  ...pullEndpoints,
  ...mergeEndpoints,
  ...checkEndpoints,
  ...actionEndpoints,
};

/** One function from a request to an answer. */
export function createHttp(host: Host, welcome?: string): (request: Request) => Response | Promise<Response> {
  const rest = createRest(host, ENDPOINTS);
  const app = new Hono();
  app.all('/api/v3/*', ({ req }) => rest(req.raw, req.url.slice(req.url.indexOf('/api/v3') + '/api/v3'.length)));
  for (const path of ['/api/graphql', '/graphql']) app.post(path, ({ req }) => answerGraphql(host, req.raw));
  app.route('/_local', createLocalEndpoints(host));
  app.use('/:owner/:repository/*', async ({ req }, next) => (await answerGit(host, req.raw)) ?? next());
  const pages = { request: async (path: string, init?: RequestInit) => app.request(path, init) };
  app.route('/', createPages(welcome === undefined ? pages : { ...pages, welcome }));
  return (request) => refusalOfName(host, request) ?? app.fetch(request);
}

/**
 * A web page elsewhere can let its own name lead to this machine (DNS rebinding), and would then read people's tokens;
 * the browser still says that name.
 */
function refusalOfName(host: Host, request: Request): Response | undefined {
  const name = request.headers.get('host') ?? '';
  const own = host.url();
  if ([own, own.replace('127.0.0.1', 'localhost')].includes(`http://${name}`)) return undefined;
  return new Response(`This server is ${own}, and was asked for as "${name}". Open ${own}\n`, {
    status: 421,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
