/** Putting a pull request in the merge queue: on GitHub a button or GraphQL does it, never REST. */
import { Hono } from 'hono';
import type { Need } from '../access.ts';
import type { Host } from '../host.ts';
import { found } from '../http-error.ts';
import { enqueue, entryOf } from '../queue/merge-queue.ts';
import { isQueued } from '../queue/required.ts';
import { type Place, personAt, repositoryAt } from './person.ts';

const QUEUE: Need = { permission: 'contents', level: 'write', people: 'write' };

/** The routes, to be mounted at `/_local`. */
export function queueRoutes(host: Host): Hono {
  const app = new Hono();
  const path = '/repos/:owner/:repo/pulls/:number/queue';
  app.get(path, ({ req, json }) => {
    const { pull } = pullAt(host, req.param());
    return json({ isRequired: isQueued(host, pull), isIn: entryOf(host, pull) !== undefined });
  });
  app.post(path, ({ req, body }) => {
    const { repository, pull } = pullAt(host, req.param());
    personAt(host, { authorization: req.header('authorization'), repository, need: QUEUE });
    enqueue(host, pull);
    return body(null, 204);
  });
  return app;
}

function pullAt(host: Host, { number, ...place }: Place & { readonly number: string }) {
  const repository = repositoryAt(host, place);
  return { repository, pull: found(host.state.pulls.first({ repositoryId: repository.id, number: Number(number) })) };
}
