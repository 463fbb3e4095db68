/**
 * What stands between jobs and a model, each a process of its own: `streams.ts model` answers every call with a stream of words, `streams.ts bare <model>` hands a stream on
 * and does nothing else, `streams.ts gateway <model> <database>` is the App's gateway with its identity checks, its ledger and its transcripts. Prints one line when it listens.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, request as requestTo } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { exportJWK, SignJWT } from 'jose';
import { pino } from 'pino';
import { systemClock } from '../../src/adapters/clock.ts';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createIdentity } from '../../src/gateway/identity.ts';
import { createModelGateway } from '../../src/gateway/model-gateway.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { loopOf, saveOf, startedOn } from '../adapters/loops.ts';
import { listening } from '../listening.ts';

const [kind = '', model = '', database = ''] = process.argv.slice(2);
const LOOPS = 20;
/** As a model answers that is in no hurry: fifty words a second, for a second and a half. */
const WORDS = 75;
const PAUSE_MS = 20;
const AUDIENCE = 'https://loopwright.test';
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const answer: RequestListener = async (request, response) => {
  await request.toArray();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedMs = performance.now();
  for (let word = 0; word < WORDS; word += 1) {
    response.write(`data: {"choices":[{"index":0,"delta":{"content":"word ${word} "}}]}\n\n`);
    // Late words do not make the whole longer.
    await delay(Math.max(0, startedMs + (word + 1) * PAUSE_MS - performance.now()));
  }
  response.end(
    'data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":40,"total_tokens":940}}\n\ndata: [DONE]\n\n',
  );
};

const handOn: RequestListener = (request, response) => {
  const { method, headers, url } = request;
  const far = requestTo(
    `${model}${url}`,
    { method, headers: { ...headers, host: new URL(model).host } },
    (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    },
  );
  request.pipe(far);
};

/** Loops whose BUILD runs ask, an issuer that says who they are, and the gateway over a real store. */
async function gateway(): Promise<{ readonly url: string; readonly tokens: readonly string[] }> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const issuer: string = await listening(
    createServer(async ({ url }, response) => {
      const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] };
      const about = { issuer, jwks_uri: `${issuer}/keys` };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(url === '/keys' ? keys : about));
    }),
  );
  const store = createStore(await openEngine({ url: database }));
  const tokenOf = async (loop: Loop): Promise<string> => {
    await store.save(saveOf(loop, 0));
    const { owner, repo, repositoryId } = loop.ref;
    const workflow = `${owner}/${repo}/.github/workflows/loopwright-build.yml@refs/heads/main`;
    return new SignJWT({
      ...{ iss: issuer, aud: AUDIENCE, sub: 'repo', repository: `${owner}/${repo}`, repository_id: `${repositoryId}` },
      ...{ event_name: 'workflow_dispatch', environment: 'loopwright', ref: 'refs/heads/main', run_attempt: '1' },
      ...{ workflow_ref: workflow, job_workflow_ref: workflow, run_id: `${loop.built.run?.id}` },
    })
      .setIssuedAt()
      .setNotBefore('0s')
      .setExpirationTime('9m')
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey);
  };
  const tokens = await Promise.all(Array.from({ length: LOOPS }, (_, index) => tokenOf(building(index + 1))));
  const app = createModelGateway({
    identity: createIdentity({ issuer, audience: AUDIENCE, clock: systemClock }),
    ...{ store, clock: systemClock, canaries: ['app-secret-9d2e4f6a8b1c3057'] },
    upstreams: { chat: { baseUrl: `${model}/v1`, apiKey: 'sk-upstream-4c1f9b7e2d6a8053', model: 'scripted' } },
    log: pino({ level: 'silent' }),
  });
  return { url: await listening(createServer(getRequestListener(app.fetch))), tokens };
}

/** Awaits the run of its BUILD entry. */
function building(issue: number): Loop {
  const started = { ...startedOn(`loopwright/${issue}`), price: { prompt: 0.01, completion: 0.01 } };
  const run = { id: 1000 + issue, entry: 5 };
  return loopOf(
    { issue },
    { status: 'working', phase: 'BUILD', entry: run.entry, started, built: { reports: {}, run } },
  );
}

const LISTENERS: Readonly<Record<string, RequestListener>> = { model: answer, bare: handOn };
const listener = LISTENERS[kind];
say(listener === undefined ? await gateway() : { url: await listening(createServer(listener)), tokens: ['none'] });
process.on('SIGINT', () => process.exit(0));
