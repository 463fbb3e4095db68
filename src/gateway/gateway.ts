/** Serves the job's code and its briefs to the runners; both are named by their digest, so a name never changes its content. */
import { readFile } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { ConfigError, StoreError } from '../errors.ts';
import type { Gateway, Store } from '../ports.ts';
import { PROBE_BRIEF, PROBE_BRIEF_DIGEST } from '../probe/runner-report.ts';
import { accessTo, type BriefStore } from './brief-access.ts';

export interface GatewayOptions {
  /** PUBLIC_URL: where runners reach the App. */
  readonly url: string;
  readonly store: Pick<Store, 'putBlob' | 'blob' | 'offerJob' | 'job'> & BriefStore;
  /** File with the job's bundled code. */
  readonly jobBundle: string;
}

/** It is for one run, and not for whatever stands between. */
const FOR_NOBODY_ELSE = 'private, no-store';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Reads the job bundle once, keeps it in the store, and serves it as `/jobs/job-<sha256>.mjs`, as it does those that other replicas and versions kept: a run may
 * wait for its runner while the App becomes another. Briefs are `/briefs/brief-<sha256>.json`.
 * @throws {ConfigError} when there is no bundle.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway & { readonly app: Hono }> {
  const bundle = await readBundle(options.jobBundle);
  const jobDigest = hexOf(await options.store.offerJob(bundle));
  return {
    url: options.url.replace(/\/$/, ''),
    jobDigest,
    async publish(text) {
      return hexOf(await options.store.putBlob(text));
    },
    app: routes({ bundle, jobDigest, store: options.store }),
  };
}

function hexOf(digest: string): string {
  return digest.replace(/^sha256:/, '');
}

async function readBundle(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return Uint8Array.from(await readFile(path));
  } catch (error) {
    throw new ConfigError(`There is no job bundle at ${path}; make it with \`npm run build\`.`, { cause: error });
  }
}

interface Served {
  readonly bundle: Uint8Array<ArrayBuffer>;
  readonly jobDigest: string;
  readonly store: GatewayOptions['store'];
}

function routes({ bundle, jobDigest, store }: Served): Hono {
  const app = new Hono();
  app.get('/jobs/:file{job-[0-9a-f]{64}\\.mjs}', async (context) => {
    const digest = context.req.param('file').slice('job-'.length, -'.mjs'.length);
    const code = digest === jobDigest ? bundle : await store.job(`sha256:${digest}`);
    if (code !== undefined) return context.body(Uint8Array.from(code), 200, headers('text/javascript'));
    const own = `job-${jobDigest}.mjs`;
    return missing(context, `This App keeps no such job, its own is ${own}; dispatch the workflow again.`);
  });
  app.get('/briefs/:file{brief-[0-9a-f]{64}\\.json}', async (context) => {
    const digest = context.req.param('file').slice('brief-'.length, -'.json'.length);
    if (digest === PROBE_BRIEF_DIGEST) return context.body(PROBE_BRIEF, 200, headers('application/json'));
    const access = await accessOf(store, digest);
    if (access === undefined) return missing(context, `No brief has the sha256 ${digest}.`);
    if ('refusal' in access) return context.text(`${access.refusal}\n`, 410, { 'cache-control': FOR_NOBODY_ELSE });
    return context.body(access.text, 200, { ...headers('application/json'), 'cache-control': FOR_NOBODY_ELSE });
  });
  app.all('/jobs/*', (context) => refuse(context));
  app.all('/briefs/*', (context) => refuse(context));
  return app;
}

/** The store holds more than briefs under digests (documents, logs). */
async function accessOf(store: GatewayOptions['store'], digest: string): ReturnType<typeof accessTo> {
  try {
    return await accessTo(new TextDecoder().decode(await store.blob(`sha256:${digest}`)), store);
  } catch (error) {
    if (error instanceof StoreError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function headers(type: string): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': IMMUTABLE,
    'x-content-type-options': 'nosniff',
  };
}

function missing(context: Context, sentence: string): Response {
  return context.text(`${sentence}\n`, 404);
}

function refuse(context: Context): Response {
  if (context.req.method === 'GET' || context.req.method === 'HEAD') {
    return missing(context, 'Only /jobs/job-<sha256>.mjs and /briefs/brief-<sha256>.json are served here.');
  }
  return context.text('Only GET is answered here.\n', 405, { allow: 'GET' });
}
