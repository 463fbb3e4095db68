/** Confirming the manifest of an App: on GitHub a page does it, never REST. */
import { Hono } from 'hono';
import { z } from 'zod';
import { reaches } from '../access.ts';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { ManifestError, readManifest } from '../registration/manifest.ts';
import { confirmRegistration } from '../registration/registrations.ts';
import { actorOf } from '../tokens.ts';
import { bodyOf } from './body.ts';

const confirmation = z.strictObject({
  /** JSON, as a form sends it. */
  manifest: z.string(),
  /** Absent: the person who confirms. */
  owner: z.string().optional(),
});

/** The routes, to be mounted at `/_local`. */
export function manifestRoutes(host: Host): Hono {
  const app = new Hono();
  app.post('/app-manifests', async ({ req, json }) => {
    const login = registrarOf(host, req.header('authorization'));
    const { manifest, owner = login } = await bodyOf(req, confirmation);
    if (!host.state.accounts.first({ login: owner })) throw new HttpError(422, `There is no account ${owner} here`);
    return json({ code: confirmRegistration(host, { manifest: manifestOf(manifest), owner }) }, 201);
  });
  return app;
}

/** On GitHub everybody may register an App. The one App here is installed already, so its key is worth as much as a role that writes. */
function registrarOf(host: Host, authorization: string | undefined): string {
  const actor = actorOf(host, authorization);
  if (actor.type !== 'user') throw new HttpError(401, 'Requires authentication');
  const { login, role = 'read' } = actor.account;
  if (!reaches(role, 'admin'))
    throw new HttpError(403, `Registering the App is for a person with admin, and ${login} has ${role}`);
  return login;
}

function manifestOf(json: string) {
  try {
    return readManifest(json);
  } catch (error) {
    if (error instanceof ManifestError) throw new HttpError(422, error.message);
    throw error;
  }
}
