/** A model gateway between real servers: an issuer of tokens, an upstream that a test scripts, and a job that calls over HTTP. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { exportJWK, SignJWT } from 'jose';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import type { DialectName } from '../../src/gateway/dialects.ts';
import { createIdentity } from '../../src/gateway/identity.ts';
import { createModelGateway, type ModelGatewayOptions } from '../../src/gateway/model-gateway.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Clock, Store } from '../../src/ports.ts';
import { loopOf, saveOf, startedOn } from '../adapters/loops.ts';
import { listening } from '../listening.ts';

export const AUDIENCE = 'https://loopwright.test';
export const KEY = 'sk-upstream-4c1f9b7e2d6a8053';
export const ENTRY = 5;
/** USD per million tokens. */
export const PRICE = { prompt: 10, completion: 20 };

const PAIRS = ['first', 'second'].map((kid) => ({ kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }));
export const [FIRST, SECOND] = PAIRS as [Pair, Pair];
interface Pair {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface Asked {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export function json(value: object, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

/** Server-sent events, each written by itself. */
export function events(parts: readonly string[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
    response.end();
  };
}

async function served(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listening(server);
}

/** Gives what the upstream was asked, and takes what it shall answer: the replies in order, the last one again and again. */
async function upstreamOf(replies: readonly Reply[]) {
  const asked: Asked[] = [];
  const url = await served(async (request, response) => {
    const text = (await request.toArray()).join('');
    const one = { path: request.url, headers: request.headers, text, body: JSON.parse(text) };
    asked.push(one);
    await replies[Math.min(asked.length, replies.length) - 1]?.(response, one);
  });
  return { url, asked };
}

async function issuerOf(keys: readonly Pair[]) {
  const held = { keys: [...keys], requests: 0 };
  const url: string = await served(async (request, response) => {
    held.requests += 1;
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    const answer = isDiscovery
      ? { issuer: url, jwks_uri: `${url}/keys` }
      : {
          keys: await Promise.all(
            held.keys.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid })),
          ),
        };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  return { url, held };
}

let issues = 100;

/** A loop that awaits the run of its BUILD entry. */
export function building(
  changes: Partial<Loop> = {},
  limits: Partial<NonNullable<Loop['started']>['limits']> = {},
): Loop {
  issues += 1;
  const started = startedOn(`loopwright/${issues}`);
  return loopOf(
    { issue: issues },
    {
      status: 'working',
      phase: 'BUILD',
      entry: ENTRY,
      started: { ...started, price: PRICE, limits: { ...started.limits, ...limits } },
      built: { reports: {}, run: { id: issues * 1000, entry: ENTRY } },
      ...changes,
    },
  );
}

export interface Forged {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, string | undefined>;
  readonly key?: KeyObject | Uint8Array;
}

export interface StageOptions {
  readonly loop?: Loop;
  readonly replies?: readonly Reply[];
  readonly dialects?: readonly DialectName[];
  readonly options?: Partial<ModelGatewayOptions>;
  readonly clock?: Clock;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(
  store: Store,
  {
    loop = building(),
    replies = [],
    dialects = ['chat', 'responses', 'anthropic'],
    options = {},
    clock = systemClock,
  }: StageOptions = {},
) {
  await store.save(saveOf(loop, 0));
  const issuer = await issuerOf([FIRST]);
  const upstream = await upstreamOf(replies);
  const kept: string[] = [];
  const logged: string[] = [];
  const app = createModelGateway({
    identity: createIdentity({ issuer: issuer.url, audience: AUDIENCE, clock, cooldownMs: 0 }),
    store: {
      ...store,
      settle(id, settlement) {
        kept.push(settlement.transcript ?? '');
        return store.settle(id, settlement);
      },
    },
    clock,
    upstreams: Object.fromEntries(
      dialects.map((name) => [
        name,
        { baseUrl: name === 'anthropic' ? upstream.url : `${upstream.url}/v1`, apiKey: KEY, model: 'the-model' },
      ]),
    ),
    canaries: ['app-secret-9d2e4f6a8b1c3057'],
    log: pino({ level: 'info' }, { write: (line: string) => logged.push(line) }),
    patience: { tries: 3, pauseMs: 1, longestPauseMs: 1500 },
    ...options,
  });
  const url = await served(getRequestListener(app.fetch));
  const token = ({ claims = {}, header = {}, key = FIRST.privateKey }: Forged = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const { owner, repo, repositoryId } = loop.ref;
    const ours = {
      iss: issuer.url,
      aud: AUDIENCE,
      sub: 'repo:whatever',
      iat: now,
      nbf: now,
      exp: now + 300,
      repository: `${owner}/${repo}`,
      repository_id: String(repositoryId),
      event_name: 'workflow_dispatch',
      environment: 'loopwright',
      ref: 'refs/heads/main',
      workflow_ref: `${owner}/${repo}/.github/workflows/loopwright-build.yml@refs/heads/main`,
      job_workflow_ref: `${owner}/${repo}/.github/workflows/loopwright-build.yml@refs/heads/main`,
      run_id: String(loop.built.run?.id),
      run_attempt: '1',
    };
    return new SignJWT({ ...ours, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: FIRST.kid, ...header })
      .sign(key);
  };
  const call = async (
    path: string,
    body: object | string,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await token()}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
  const calls = () => store.untold(idOf(loop.ref));
  return { loop, issuer, upstream, url, token, call, calls, kept, logged };
}

/** What a refusal says. */
export async function sentenceOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}
