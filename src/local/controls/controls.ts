/** What the embedded GitHub has beyond GitHub, under `/_local`: its log, its problems, its people, and the buttons of check runs. */
import { Hono } from 'hono';
import { judgeAccess } from '../access.ts';
import { download } from '../actions/downloads.ts';
import type { Host } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import { findRepository } from '../repository-records.ts';
import { actorOf, loginOf } from '../tokens.ts';
import { pressAction } from './check-changes.ts';

const REQUESTS_PER_ANSWER = 500;

/** The routes, to be mounted at `/_local`. */
export function createLocalEndpoints(host: Host): Hono {
  const app = new Hono();
  app.get('/problems', (context) => context.json(host.state.problems.find({})));
  app.get('/requests', (context) => {
    const after = Number(context.req.query('after') ?? 0) || 0;
    return context.json(host.state.requests.after(after, REQUESTS_PER_ANSWER));
  });
  app.get('/users', (context) => context.json(usersOf(host)));
  app.get('/comments/:id/edits', (context) => {
    const commentId = Number(context.req.param('id'));
    return context.json(host.state.commentEdits.find({ commentId }));
  });
  app.get('/downloads/:kind/:id', ({ req }) =>
    download(host, {
      kind: req.param('kind'),
      id: Number(req.param('id')),
      expires: req.query('expires') ?? '',
      signature: req.query('signature') ?? '',
    }),
  );
  app.get('/repos/:owner/:repo/check-runs/:id/actions', ({ req, json }) =>
    json(checkRunOf(host, req.param()).run.actions),
  );
  app.post('/repos/:owner/:repo/check-runs/:id/actions/:identifier', ({ req, json }) => {
    press(host, { ...req.param(), authorization: req.header('authorization') });
    return json({}, 201);
  });
  app.onError((error) => {
    if (!(error instanceof HttpError)) throw error;
    return new Response(JSON.stringify({ message: error.message }), {
      status: error.status,
      headers: { 'content-type': 'application/json' },
    });
  });
  return app;
}

/** The people named at start, with their tokens: local only, so that somebody can choose who they are. */
function usersOf(host: Host) {
  const repositories = host.state.repositories.find({}).map(({ owner, name }) => `${owner}/${name}`);
  return host.state.accounts
    .find({})
    .filter(({ token }) => token !== undefined)
    .map(({ login, role, token }) => ({ login, role, repositories, token }));
}

interface CheckRunPlace {
  readonly owner: string;
  readonly repo: string;
  readonly id: string;
}

function checkRunOf(host: Host, { owner, repo, id }: CheckRunPlace) {
  const repository = found(findRepository(host, { owner, repo }));
  return { repository, run: found(host.state.checkRuns.first({ id: Number(id), repositoryId: repository.id })) };
}

interface Pressed extends CheckRunPlace {
  readonly identifier: string;
  readonly authorization: string | undefined;
}

/** On GitHub a button has no REST request: a person presses it on the page, with write permission. */
function press(host: Host, { identifier, authorization, ...place }: Pressed): void {
  const { repository, run } = checkRunOf(host, place);
  const actor = actorOf(host, authorization);
  if (actor.type !== 'user') throw new HttpError(401, 'Requires authentication');
  judgeAccess(host, { actor, need: { permission: 'checks', level: 'write', people: 'write' }, repository });
  pressAction(host, { repository, sender: loginOf(actor) ?? '', run }, identifier);
}
