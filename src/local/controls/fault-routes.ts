/** `/_local/faults`: what goes wrong on purpose, for a person with admin. https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api has what GitHub does by itself. */
import { Hono, type HonoRequest } from 'hono';
import { z } from 'zod';
import { reaches } from '../access.ts';
import { faultSchemaOf, type RequestFault } from '../faults/fault-rules.ts';
import { OTHER_ROUTES } from '../faults/faulty.ts';
import type { Host } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { FaultRecord } from '../records.ts';
import { actorOf } from '../tokens.ts';
import { bodyOf } from './body.ts';
import { switchesSchema } from './switches.ts';

const { requestsPerMinute, creationsPerMinute } = switchesSchema.shape;
/** Without defaults: what is not named stays as it is. */
const limits = z
  .strictObject({ requestsPerMinute: requestsPerMinute.unwrap(), creationsPerMinute: creationsPerMinute.unwrap() })
  .partial();

/** The routes, to be mounted at `/_local`. */
export function faultRoutes(host: Host): Hono {
  const { faults, switches } = host;
  const app = new Hono();
  const told = () => ({ faults: faults.all().map(faultPayload), limits: limits.strip().parse(switches.values()) });
  app.use('/faults', asAdmin(host)).use('/faults/*', asAdmin(host));
  app.get('/faults', ({ json }) => json(told()));
  app.post('/faults', async ({ req, json }) => {
    const fault = await bodyOf(req, faultSchemaOf(await req.json().catch(() => undefined)));
    if ('route' in fault) judgeRoute(host, fault);
    return json(faultPayload(faults.add(fault)), 201);
  });
  app.patch('/faults/limits', async ({ req, json }) => {
    switches.set(await bodyOf(req, limits));
    return json(told().limits);
  });
  app.delete('/faults', ({ body }) => {
    faults.clear();
    switches.set({ requestsPerMinute: null, creationsPerMinute: null });
    host.outbox.release();
    return body(null, 204);
  });
  app.delete('/faults/:id', ({ req, body }) => {
    if (!faults.remove(Number(req.param('id')))) throw notFound();
    return body(null, 204);
  });
  return app;
}

function asAdmin(host: Host) {
  return async ({ req }: { readonly req: HonoRequest }, next: () => Promise<void>): Promise<void> => {
    const actor = actorOf(host, req.header('authorization'));
    if (actor.type !== 'user') throw new HttpError(401, 'Requires authentication');
    if (!reaches(actor.account.role ?? 'read', 'admin'))
      throw new HttpError(403, 'Faults are for a person with admin.');
    await next();
  };
}

/** A rule that never strikes would look like an App that bears everything. */
function judgeRoute({ contract }: Host, { method, route }: RequestFault): void {
  if (route === '*') return;
  const filled = route.replaceAll(/{[^}]*}/g, '1');
  const methods = method === '*' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [method];
  const isKnown = methods.some(
    (one) => contract.match(one, filled) !== undefined || OTHER_ROUTES.some((other) => other === `${one} ${route}`),
  );
  if (!isKnown) throw new HttpError(422, `body.route: this server answers no ${method} ${route}`);
}

function faultPayload({ id, fault, struck }: FaultRecord) {
  const times = Object.values(struck).reduce((sum, count) => sum + count, 0);
  return { id, ...fault, struck: times, struckBy: struck };
}
