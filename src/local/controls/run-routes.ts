/** Why a workflow run could not be executed at all: GitHub says it on the page of the run, and in no request. */
import { Hono } from 'hono';
import type { Host } from '../host.ts';
import { found } from '../http-error.ts';
import { repositoryAt } from './person.ts';

/** The routes, to be mounted at `/_local`. */
export function runRoutes(host: Host): Hono {
  const app = new Hono();
  app.get('/repos/:owner/:repo/actions/runs/:id/problem', ({ req, json }) => {
    const { id, ...place } = req.param();
    const where = { id: Number(id), repositoryId: repositoryAt(host, place).id };
    return json({ problem: found(host.state.runs.first(where)).problem ?? null });
  });
  return app;
}
