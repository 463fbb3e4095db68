/** What runners ask of the embedded GitHub: jobs, with the secret that runners share with it, and all that is of one job with that job's token. */
import { Hono, type HonoRequest } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { bodyOf } from '../controls/body.ts';
import { HttpError } from '../http-error.ts';
import { opens } from '../session.ts';
import type { HeldJob } from './handed-job.ts';
import {
  type AdmissionMessage,
  admissionMessageOf,
  claimMessage,
  endMessage,
  stateMessage,
  summaryMessage,
} from './job-message.ts';
import type { JobQueue } from './job-queue.ts';
import { isArtifactName, TAKEN } from './workflow-run-files.ts';

export interface RunnersService {
  readonly queue: JobQueue;
  /** Shared with every runner. */
  readonly secret: string;
}

/** How long a question waits for its answer; it is then asked again. Shorter than what any client on the way waits. */
const WAIT_MS = 20_000;
const MOST_BYTES = 512 * 1024 * 1024;

/** The routes, to be mounted at {@link RUNNER_PATH}. */
export function runnerRoutes({ queue, secret }: RunnersService): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: () => refusal(413, 'That is too large for one request.') }));
  app.post('/take', async ({ req, json, body }) => {
    if (!opens(secret, bearerOf(req))) throw new HttpError(401, 'This is for runners that know the secret.');
    const message = await queue.take(AbortSignal.any([req.raw.signal, AbortSignal.timeout(WAIT_MS)]));
    return message === undefined ? body(null, 204) : json(message);
  });
  const held = (request: HonoRequest): HeldJob => queue.held(bearerOf(request));
  app.post('/job/admission', async ({ req, json }) => {
    const job = held(req);
    const admission = job.admit(await bodyOf(req, claimMessage)).then(admissionMessageOf);
    return json(await inTime<AdmissionMessage>(admission, { type: 'waiting' }));
  });
  app.get('/job/cancellation', async ({ req, json }) => {
    const cancelled = held(req).cancelled.then((reason) => ({ isCancelled: true, reason }));
    return json(await inTime(cancelled, { isCancelled: false, reason: '' }));
  });
  app.put('/job/state', async ({ req, body }) => {
    const job = held(req);
    job.tell(await bodyOf(req, stateMessage));
    return body(null, 204);
  });
  app.post('/job/summary', async ({ req, body }) => {
    const { files } = held(req);
    const { job, text } = await bodyOf(req, summaryMessage);
    await files.addSummary(job, text);
    return body(null, 204);
  });
  app.route('/job/artifacts', artifactRoutes(held));
  app.post('/job/end', async ({ req, body }) => {
    const job = held(req);
    const { conclusion, outputs } = await bodyOf(req, endMessage);
    job.end(conclusion, outputs);
    return body(null, 204);
  });
  app.onError((error) => {
    if (!(error instanceof HttpError)) throw error;
    return refusal(error.status, error.message);
  });
  return app;
}

function artifactRoutes(held: (request: HonoRequest) => HeldJob): Hono {
  const app = new Hono();
  app.get('/', async ({ req, json }) => json({ names: await held(req).files.artifactNames() }));
  app.get('/:name', async ({ req, body }) => {
    const zip = await held(req).files.artifact(req.param('name'));
    if (zip === undefined) throw new HttpError(404, 'Not Found');
    return body(new Uint8Array(zip), 200, { 'content-type': 'application/zip' });
  });
  app.put('/:name', async ({ req, body }) => {
    const { files } = held(req);
    const name = req.param('name');
    if (!isArtifactName(name)) throw new HttpError(422, `The artifact name is not valid: ${name}`);
    if ((await files.artifactNames()).includes(name)) throw new HttpError(409, `${TAKEN}: ${name}`);
    await files.addArtifact(name, new Uint8Array(await req.arrayBuffer()));
    return body(null, 201);
  });
  return app;
}

function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

function bearerOf(request: HonoRequest): string | undefined {
  return request.header('authorization')?.replace(/^Bearer /, '');
}

async function inTime<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), WAIT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
