/** What was asked, what broke GitHub's description, what a comment said before, and who can be chosen on the pages. */
import { Hono } from 'hono';
import type { Host } from '../host.ts';
import { peopleOf } from '../people.ts';

const REQUESTS_PER_ANSWER = 500;

/** The routes, to be mounted at `/_local`. */
export function recordRoutes(host: Host): Hono {
  const { state } = host;
  const app = new Hono();
  app.get('/problems', (context) => context.json(state.problems.find({})));
  app.get('/requests', (context) => {
    const after = Number(context.req.query('after') ?? 0) || 0;
    return context.json(state.requests.after(after, REQUESTS_PER_ANSWER));
  });
  app.get('/users', (context) => context.json(peopleOf(host).map(({ token: _, ...person }) => person)));
  app.get('/comments/:id/edits', (context) =>
    context.json(state.commentEdits.find({ commentId: Number(context.req.param('id')) })),
  );
  return app;
}
