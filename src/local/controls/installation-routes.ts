/** Installing the App on repositories: on GitHub a page does it, never REST. */
import { Hono } from 'hono';
import { z } from 'zod';
import { reaches, roleOf } from '../access.ts';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { findRepository } from '../repository-records.ts';
import { appPayload } from '../rest/payloads.ts';
import { actorOf } from '../tokens.ts';
import { rearrange } from '../webhooks/arranging.ts';
import { announceInstalled, type Installed } from '../webhooks/installed.ts';
import { bodyOf } from './body.ts';
import { repositoryAt } from './person.ts';

/** For whoever has the key, in the owner's name; to be mounted at `/_local`. */
export function installationRoutes(host: Host): Hono {
  const app = new Hono();
  app.post('/repos/:owner/:repo/installed', ({ req, body }) => {
    const repository = repositoryAt(host, req.param());
    install(host, { repositories: [repository], sender: repository.owner });
    return body(null, 204);
  });
  app.delete('/repos/:owner/:repo/installed', ({ req, body }) => {
    const { id } = repositoryAt(host, req.param());
    const { arranged } = host.switches.values();
    rearrange(host, { ...arranged, removed: [...new Set([...arranged.removed, id])] });
    return body(null, 204);
  });
  return app;
}

const choice = z.strictObject({
  /** Full names. */
  repositories: z.array(z.string()).nonempty('none is chosen'),
});

/** For people, with their token; what the App is, is for everybody, as on GitHub: https://docs.github.com/rest/apps/apps#get-an-app */
export function installingRoutes(host: Host): Hono {
  const app = new Hono();
  app.get('/app', ({ json }) => json(appPayload(host)));
  app.post('/app/installations', async ({ req, body }) => {
    const sender = personOf(host, req.header('authorization'));
    const { repositories: names } = await bodyOf(req, choice);
    const repositories = [...new Set(names)].map((name) => administered(host, name, sender));
    install(host, { repositories, sender });
    return body(null, 204);
  });
  return app;
}

function install(host: Host, installed: Installed): void {
  host.state.transaction(() => {
    const { arranged } = host.switches.values();
    const ids = installed.repositories.map(({ id }) => id);
    const removed = arranged.removed.filter((id) => !ids.includes(id));
    // Where it was arranged that the App is nowhere, or not here, it is here now.
    host.switches.set({ arranged: { ...arranged, isInstalled: true, removed } });
    announceInstalled(host, installed);
  });
}

function personOf(host: Host, authorization: string | undefined): string {
  const actor = actorOf(host, authorization);
  if (actor.type !== 'user') throw new HttpError(401, 'Requires authentication');
  return actor.account.login;
}

function administered(host: Host, fullName: string, login: string): Repository {
  const [owner = '', repo = ''] = fullName.split('/');
  const repository = findRepository(host, { owner, repo });
  if (!repository) throw new HttpError(422, `There is no repository ${fullName} here`);
  const role = roleOf(host, repository, login);
  if (!reaches(role, 'admin'))
    throw new HttpError(403, `Installing the App is for a person with admin, and ${login} has ${role} on ${fullName}`);
  return repository;
}
