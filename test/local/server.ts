/** A running embedded GitHub for tests: a real repository, people with roles, a webhook receiver, all in a directory of its own. */

import { createHmac, createSign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { execa } from 'execa';
import { z } from 'zod';
import type { Credentials } from '../../src/local/credentials.ts';
import { type LocalGitHub, type LocalGitHubOptions, startLocalGitHub } from '../../src/local/local-github.ts';
import { listening } from '../listening.ts';

export { eventually } from '../eventually.ts';

export const PEOPLE = [
  { login: 'alice', role: 'admin', token: 'token-alice' },
  { login: 'bob', role: 'write', token: 'token-bob' },
  { login: 'tina', role: 'triage', token: 'token-tina' },
  { login: 'carol', role: 'read', token: 'token-carol' },
] as const;

export const HERE = { owner: 'alice', repo: 'toys' };

const payloadSchema = z.looseObject({ action: z.string().optional() });

export interface Received {
  readonly event: string;
  readonly guid: string;
  readonly signed: boolean;
  readonly payload: z.infer<typeof payloadSchema>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  secret: string;
  /** Status of the answers. */
  status: number;
  readonly close: () => Promise<void>;
  /** Names like `issues.opened`, in order of arrival. */
  readonly names: () => readonly string[];
}

/** Listens for webhooks on 127.0.0.1. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = { received, secret: '', status: 200 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const signature = `sha256=${createHmac('sha256', receiver.secret).update(body).digest('hex')}`;
      received.push({
        event: String(request.headers['x-github-event']),
        guid: String(request.headers['x-github-delivery']),
        signed: request.headers['x-hub-signature-256'] === signature,
        payload: payloadSchema.parse(JSON.parse(body)),
      });
      response.writeHead(receiver.status).end();
    });
  });
  const url = `${await listening(server, port)}/`;
  return Object.assign(receiver, {
    url,
    names: () => received.map(({ event, payload }) => (payload.action ? `${event}.${payload.action}` : event)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** A commit of `files` in a new repository on `main`. */
export async function createSource(directory: string, files: Readonly<Record<string, string>>): Promise<string> {
  const source = join(directory, 'source');
  mkdirSync(source, { recursive: true });
  await git(source, ['init', '--quiet', '--initial-branch', 'main']);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  await git(source, ['add', '.']);
  await git(source, ['commit', '--quiet', '--message', 'Start']);
  return source;
}

/** Git as a person runs it. */
export async function git(directory: string, parameters: readonly string[], reject = true) {
  return execa('git', ['-C', directory, '-c', 'protocol.version=2', ...parameters], {
    reject,
    all: true,
    env: {
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'alice',
      GIT_AUTHOR_EMAIL: 'alice@example.com',
      GIT_COMMITTER_NAME: 'alice',
      GIT_COMMITTER_EMAIL: 'alice@example.com',
    },
  });
}

/** A clone of alice's from the stage's GitHub, with the right to push. */
export async function cloneOf({ directory, server }: Stage, name: string): Promise<string> {
  const remote = `${server.url.replace('://', '://alice:token-alice@')}/alice/toys.git`;
  await git(directory, ['clone', '--quiet', remote, name]);
  return join(directory, name);
}

export interface Stage {
  readonly directory: string;
  /** Of the server. */
  readonly dataDirectory: string;
  readonly server: LocalGitHub;
  readonly receiver: Receiver;
  /** Octokit with a person's token. */
  readonly as: (login: string) => Octokit;
  /** Octokit with an installation token of the App. */
  readonly asApp: () => Promise<Octokit>;
  readonly problems: () => Promise<readonly unknown[]>;
  /** A request below `/_local`, as a person where a login is given. */
  readonly local: (method: string, path: string, body?: unknown, login?: string) => Promise<LocalAnswer>;
  readonly close: () => Promise<void>;
}

export interface LocalAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface StageOptions {
  /** Full names of further repositories, beside `alice/toys` and with the same content. */
  readonly others?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly executeWorkflow?: LocalGitHubOptions['executeWorkflow'];
  readonly runners?: LocalGitHubOptions['runners'];
  readonly profile?: LocalGitHubOptions['profile'];
  /** Secret of the printed address; none by default. */
  readonly key?: string;
  /** Says of a problem, as JSON text, that the test provokes it on purpose; `close` fails on any other. */
  readonly provokes?: (problem: string) => boolean;
}

/** Everything running; `close` removes it all, and fails when a request, an answer or a webhook broke GitHub's description. */
export async function startStage({
  files = { 'README.md': '# Toys\n' },
  others = [],
  executeWorkflow = refuse,
  runners,
  profile,
  key,
  provokes = () => false,
}: StageOptions = {}): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'local-github-'));
  const source = await createSource(directory, files);
  const receiver = await startReceiver();
  const server = await startLocalGitHub({
    dataDirectory: join(directory, 'data'),
    port: 0,
    webhookUrl: receiver.url,
    imports: ['alice/toys', ...others].map((fullName) => ({ source, fullName })),
    users: PEOPLE,
    ...(key === undefined ? {} : { key }),
    ...(runners === undefined ? {} : { runners }),
    ...(profile === undefined ? {} : { profile }),
    executeWorkflow,
  });
  receiver.secret = server.credentials.webhookSecret;
  const problems = async () =>
    z
      .array(z.unknown())
      .parse(
        await (await fetch(`${server.url}/_local/problems`, { headers: { authorization: `Bearer ${key}` } })).json(),
      );
  return {
    directory,
    dataDirectory: join(directory, 'data'),
    server,
    receiver,
    as: (login) => octokit(server.url, `token-${login}`),
    asApp: async () => octokit(server.url, await installationToken(server)),
    problems,
    local: async (method, path, body, login) => {
      const answer = await fetch(`${server.url}/_local${path}`, {
        method,
        headers: login === undefined ? {} : { authorization: `Bearer token-${login}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    close: async () => {
      const found = (await problems()).map((problem) => JSON.stringify(problem));
      await server.close();
      await receiver.close();
      rmSync(directory, { recursive: true, force: true });
      const unexpected = found.filter((problem) => !provokes(problem));
      if (unexpected.length > 0) throw new Error(`GitHub's description was broken:\n${unexpected.join('\n')}`);
    },
  };
}

async function refuse(): Promise<never> {
  throw new Error('this test runs no workflows');
}

/** Octokit on the server; without its own log. */
export function octokit(url: string, auth: string): Octokit {
  const quiet = () => undefined;
  return new Octokit({ baseUrl: `${url}/api/v3`, auth, log: { debug: quiet, info: quiet, warn: quiet, error: quiet } });
}

/** A JWT of the App; `seconds` is its lifetime from `now` on, in milliseconds. */
export function jwtOf({ appId, privateKey }: Credentials, seconds = 540, now = Date.now()): string {
  const time = Math.floor(now / 1000);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: time - 5, exp: time + seconds, iss: appId })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

/** An installation token, narrowed when `body` says so. */
export async function installationToken({ url, credentials }: LocalGitHub, body?: object): Promise<string> {
  const response = await fetch(`${url}/api/v3/app/installations/${credentials.installationId}/access_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${jwtOf(credentials)}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return z.object({ token: z.string() }).parse(await response.json()).token;
}
