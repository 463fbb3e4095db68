/** Other Apps than ours, which exist on this machine only: each gets a suite on every push, and may check and report statuses with its token. */
import { Hono } from 'hono';
import { z } from 'zod';
import { ACTIONS_SLUG, type Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { checkAppPayload } from '../rest/check-payloads.ts';
import { mintToken, type Permissions } from '../tokens.ts';
import { bodyOf } from './body.ts';

const PERMISSIONS: Permissions = { metadata: 'read', contents: 'read', checks: 'write', statuses: 'write' };
/** As long as any test moves the clock. */
const TOKEN_LIFETIME_MS = 365 * 24 * 3_600_000;

const newApp = z.strictObject({
  slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'small letters, digits and single hyphens'),
  name: z.string().optional(),
});

/** The routes, to be mounted at `/_local`. */
export function appRoutes(host: Host): Hono {
  const app = new Hono();
  app.get('/apps', ({ json }) => json(host.state.apps.find({}).map(({ slug }) => checkAppPayload(host, slug))));
  app.post('/apps', async ({ req, json }) => json(register(host, await bodyOf(req, newApp)), 201));
  return app;
}

/** A token for the App, which is registered when it is not known yet. */
function register(host: Host, { slug, name = slug }: z.infer<typeof newApp>) {
  if ([host.credentials.slug, ACTIONS_SLUG].includes(slug))
    throw new HttpError(422, `body.slug: "${slug}" is an App that this server has already`);
  if (!host.state.apps.first({ slug })) host.state.apps.insert({ slug, name });
  const { token } = mintToken(host, {
    kind: 'installation',
    app: slug,
    permissions: PERMISSIONS,
    repositoryIds: undefined,
    lifetimeMs: TOKEN_LIFETIME_MS,
  });
  return { ...checkAppPayload(host, slug), token };
}
