/** The buttons of check runs: on GitHub they have no REST request, a person with write permission presses them on the page. */
import { Hono } from 'hono';
import type { Need } from '../access.ts';
import type { Host } from '../host.ts';
import { found } from '../http-error.ts';
import { pressAction } from '../rest/check-changes.ts';
import { type Place, personAt, repositoryAt } from './person.ts';

const PRESS: Need = { permission: 'checks', level: 'write', people: 'write' };

/** The routes, to be mounted at `/_local`. */
export function buttonRoutes(host: Host): Hono {
  const app = new Hono();
  app.get('/repos/:owner/:repo/check-runs/:id/actions', ({ req, json }) =>
    json(checkRunAt(host, req.param()).run.actions),
  );
  app.post('/repos/:owner/:repo/check-runs/:id/actions/:identifier', ({ req, json }) => {
    const { repository, run } = checkRunAt(host, req.param());
    const sender = personAt(host, { authorization: req.header('authorization'), repository, need: PRESS });
    pressAction(host, { repository, sender, run }, req.param('identifier'));
    return json({}, 201);
  });
  return app;
}

function checkRunAt(host: Host, { id, ...place }: Place & { readonly id: string }) {
  const repository = repositoryAt(host, place);
  return { repository, run: found(host.state.checkRuns.first({ id: Number(id), repositoryId: repository.id })) };
}
