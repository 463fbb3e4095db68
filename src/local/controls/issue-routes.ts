/** Deleting an issue and moving it to another repository: on GitHub a page or GraphQL does it, never REST. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Need } from '../access.ts';
import type { Host } from '../host.ts';
import { found } from '../http-error.ts';
import { deleteIssue, transferIssue } from '../rest/gone-issues.ts';
import { bodyOf } from './body.ts';
import { type Place, personAt, repositoryAt } from './person.ts';

const DELETE: Need = { permission: 'issues', level: 'write', people: 'admin' };
const TRANSFER: Need = { permission: 'issues', level: 'write', people: 'write' };

const target = z.strictObject({ to: z.templateLiteral([z.string(), '/', z.string()]) });

/** The routes, to be mounted at `/_local`. */
export function issueRoutes(host: Host): Hono {
  const app = new Hono();
  app.delete('/repos/:owner/:repo/issues/:number', ({ req, body }) => {
    const { repository, issue } = issueAt(host, req.param());
    const sender = personAt(host, { authorization: req.header('authorization'), repository, need: DELETE });
    deleteIssue({ host, repository, issue, sender });
    return body(null, 204);
  });
  app.post('/repos/:owner/:repo/issues/:number/transfer', async ({ req, json }) => {
    const { repository, issue } = issueAt(host, req.param());
    const sender = personAt(host, { authorization: req.header('authorization'), repository, need: TRANSFER });
    const [owner = '', repo = ''] = (await bodyOf(req, target)).to.split('/');
    const moved = transferIssue({ host, repository, issue, sender }, repositoryAt(host, { owner, repo }));
    return json({ number: moved.number }, 201);
  });
  return app;
}

function issueAt(host: Host, { number, ...place }: Place & { readonly number: string }) {
  const repository = repositoryAt(host, place);
  const where = { repositoryId: repository.id, number: Number(number), isPull: false };
  return { repository, issue: found(host.state.issues.first(where)) };
}
