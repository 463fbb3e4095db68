/** The server's front door: git, REST, GraphQL, what is local only, and the pages. */
import { Hono } from 'hono';
import { actionEndpoints } from './actions/actions.ts';
import { ENCLOSED_HEADER, RUNNER_PATH } from './actions/job-message.ts';
import { type RunnersService, runnerRoutes } from './actions/runner-routes.ts';
import { createControls } from './controls/controls.ts';
import { type Answering, underFaults } from './faults/faulty.ts';
import { answerGit } from './git/git-http.ts';
import { type Host, repositoryHtmlUrlOf } from './host.ts';
import { issuerRoutes } from './identity/issuer-routes.ts';
import { createPages } from './pages/pages.ts';
import { peopleOf } from './people.ts';
import { conversionEndpoints } from './registration/conversions.ts';
import { findFormer } from './repository-records.ts';
import { appEndpoints } from './rest/app-endpoints.ts';
import { checkEndpoints } from './rest/checks.ts';
import { commentEndpoints } from './rest/comments.ts';
import { contentEndpoints } from './rest/contents.ts';
import type { Endpoints } from './rest/endpoint.ts';
import { environmentEndpoints } from './rest/environments.ts';
import { gitDataEndpoints } from './rest/git-data.ts';
import { answerGraphql } from './rest/graphql.ts';
import { historyEndpoints } from './rest/history.ts';
import { issueEndpoints } from './rest/issues.ts';
import { labelEndpoints } from './rest/labels.ts';
import { mergeEndpoints } from './rest/merges.ts';
import { pullEndpoints } from './rest/pulls.ts';
import { reactionEndpoints } from './rest/reactions.ts';
import { refEndpoints } from './rest/refs.ts';
import { relocationEndpoints } from './rest/relocation.ts';
import { repositoryEndpoints } from './rest/repositories.ts';
import { createRest } from './rest/rest.ts';
import { reviewEndpoints } from './rest/reviews.ts';
import { rulesetEndpoints } from './rest/rulesets.ts';
import { statusEndpoints } from './rest/statuses.ts';

const ENDPOINTS: Endpoints = {
  ...appEndpoints,
  ...conversionEndpoints,
  ...repositoryEndpoints,
  ...relocationEndpoints,
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
  ...reviewEndpoints,
  ...checkEndpoints,
  ...statusEndpoints,
  ...actionEndpoints,
  ...environmentEndpoints,
  ...rulesetEndpoints,
};

export interface HttpOptions {
  /** Markdown for the first page. */
  readonly welcome?: string | undefined;
  /** For runners in processes of their own. */
  readonly runners?: RunnersService | undefined;
}

/** One function from a request to an answer. */
export function createHttp(host: Host, { welcome, runners }: HttpOptions): Answering {
  const app = new Hono();
  // Steps of a repository's own workflows see what GitHub has, and neither `/_local` nor the pages, where people act.
  app.use(async ({ req }, next) => (req.header(ENCLOSED_HEADER) ? enclosed.fetch(req.raw) : next()));
  const enclosed = gitHubAlone(host);
  if (runners !== undefined) app.route(RUNNER_PATH, runnerRoutes(runners));
  app.route('/_local', createControls(host));
  app.route('/', gitHubAlone(host));
  app.get('/:owner/:repository/*', ({ req, redirect }, next) => {
    const place = presentPage(host, req.path);
    return place === undefined ? next() : redirect(place, 301);
  });
  const request = async (path: string, init?: RequestInit) => app.request(path, init);
  app.route('/', createPages({ request, people: () => peopleOf(host), key: host.key, welcome }));
  return guarded(host, app);
}

function guarded(host: Host, app: Hono): Answering {
  const answer = underFaults(host, (request) => app.fetch(request));
  return (request, bindings) => refusalOfName(host, request) ?? answer(request, bindings);
}

function gitHubAlone(host: Host): Hono {
  const rest = createRest(host, ENDPOINTS);
  const app = new Hono();
  app.all('/api/v3/*', ({ req }) => rest(req.raw, req.url.slice(req.url.indexOf('/api/v3') + '/api/v3'.length)));
  app.route('/', issuerRoutes(host));
  for (const path of ['/api/graphql', '/graphql']) app.post(path, ({ req }) => answerGraphql(host, req.raw));
  app.use('/:owner/:repository/*', async ({ req }, next) => (await answerGit(host, req.raw)) ?? next());
  return app;
}

/** Where a page of a renamed repository is now. */
function presentPage(host: Host, path: string): string | undefined {
  const [, owner = '', repo = '', rest = ''] = /^\/([^/]+)\/([^/]+)(.*)$/.exec(path) ?? [];
  const former = findFormer(host, { owner, repo });
  return former && `${repositoryHtmlUrlOf(host, former)}${rest}`;
}

/**
 * A web page elsewhere can let its own name lead to this machine (DNS rebinding), and would then read people's tokens;
 * the browser still says that name.
 */
function refusalOfName(host: Host, request: Request): Response | undefined {
  const name = request.headers.get('host') ?? '';
  const own = host.url();
  const { host: ownName } = new URL(own);
  if ([ownName, ownName.replace('127.0.0.1', 'localhost')].includes(name)) return undefined;
  return new Response(`This server is ${own}, and was asked for as "${name}". Open ${own}\n`, {
    status: 421,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
