/** The server's front door: git, REST, GraphQL, what is local only, and the pages. */

import { Hono } from 'hono';
import { appEndpoints } from './app-endpoints.ts';
import { commentEndpoints } from './comments.ts';
import type { Endpoints } from './endpoint.ts';
import { answerGit } from './git-http.ts';
import type { Host } from './host.ts';
import { issueEndpoints } from './issues.ts';
import { labelEndpoints } from './labels.ts';
import { commentEditsOf, problemsOf, requestsAfter, usersOf } from './local-endpoints.ts';
import { createPages } from './pages.ts';
import { reactionEndpoints } from './reactions.ts';
import { repositoryEndpoints } from './repositories.ts';
import { createRest } from './rest.ts';

const ENDPOINTS: Endpoints = {
  ...appEndpoints,
  ...repositoryEndpoints,
  ...issueEndpoints,
  ...labelEndpoints,
  ...commentEndpoints,
  ...reactionEndpoints,
};

/** One function from a request to an answer. */
export function createHttp(host: Host): (request: Request) => Response | Promise<Response> {
  const rest = createRest(host, ENDPOINTS);
  const app = new Hono();
  app.all('/api/v3/*', ({ req }) => rest(req.raw, req.url.slice(req.url.indexOf('/api/v3') + '/api/v3'.length)));
  app.get('/_local/problems', (context) => context.json(problemsOf(host)));
  app.get('/_local/requests', (context) => context.json(requestsAfter(host, Number(context.req.query('after') ?? 0))));
  app.get('/_local/users', (context) => context.json(usersOf(host)));
  app.get('/_local/comments/:id/edits', (context) =>
    context.json(commentEditsOf(host, Number(context.req.param('id')))),
  );
  app.use('/:owner/:repository/*', async ({ req }, next) => (await answerGit(host, req.raw)) ?? next());
  app.route('/', createPages({ request: async (path, init) => app.request(path, init) }));
  return app.fetch;
}
