/** Installing the App on a repository: on GitHub a page does it, never REST. */
import { Hono } from 'hono';
import type { Host } from '../host.ts';
import { announceInstalled } from '../webhooks/installed.ts';
import { repositoryAt } from './person.ts';

/** The routes, to be mounted at `/_local`. */
export function installationRoutes(host: Host): Hono {
  const app = new Hono();
  app.post('/repos/:owner/:repo/installed', ({ req, body }) => {
    const repository = repositoryAt(host, req.param());
    host.state.transaction(() => {
      const { arranged } = host.switches.values();
      // Where it was arranged that the App is nowhere, it is here now.
      if (!arranged.isInstalled) host.switches.set({ arranged: { ...arranged, isInstalled: true } });
      announceInstalled(host, repository);
    });
    return body(null, 204);
  });
  return app;
}
