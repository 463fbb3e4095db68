/** What the embedded GitHub has beyond GitHub, all of it under `/_local`: what happened, who is here, how it behaves. */
import { Hono } from 'hono';
import { download } from '../actions/downloads.ts';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { keyed } from '../session.ts';
import { appRoutes } from './app-routes.ts';
import { buttonRoutes } from './button-routes.ts';
import { faultRoutes } from './fault-routes.ts';
import { identityRoutes } from './identity-routes.ts';
import { installationRoutes, installingRoutes } from './installation-routes.ts';
import { issueRoutes } from './issue-routes.ts';
import { manifestRoutes } from './manifest-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import { recordRoutes } from './record-routes.ts';
import { runRoutes } from './run-routes.ts';
import { settingRoutes } from './setting-routes.ts';

/** The routes, to be mounted at `/_local`. */
export function createControls(host: Host): Hono {
  const app = new Hono();
  // These ask for a person's token themselves, or are for everybody; a download's address is signed.
  for (const routes of [
    buttonRoutes,
    issueRoutes,
    queueRoutes,
    faultRoutes,
    manifestRoutes,
    installingRoutes,
    runRoutes,
  ])
    app.route('/', routes(host));
  app.get('/downloads/:kind/:id', ({ req }) =>
    download(host, {
      kind: req.param('kind'),
      id: Number(req.param('id')),
      expires: req.query('expires') ?? '',
      signature: req.query('signature') ?? '',
    }),
  );
  app.use(keyed(host));
  for (const routes of [recordRoutes, settingRoutes, installationRoutes, appRoutes, identityRoutes])
    app.route('/', routes(host));
  app.onError((error) => {
    if (!(error instanceof HttpError)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  });
  return app;
}
