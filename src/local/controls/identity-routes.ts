/** The keys of the issuer under `/_local`: GitHub changes its own when nobody expects it. */
import { Hono } from 'hono';
import type { Host } from '../host.ts';

/** The routes, to be mounted at `/_local`. */
export function identityRoutes({ signingKeys }: Host): Hono {
  const app = new Hono();
  app.post('/identity/rotate', ({ json }) => json(signingKeys.rotate(), 201));
  return app;
}
