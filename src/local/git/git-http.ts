/** Git over HTTP: `git http-backend` behind our tokens. */
import { join } from 'node:path';
import { runGit } from '../../git-process/run-git.ts';
import { CONTENTS_WRITE, judgeAccess, mayWriteWorkflows, type Need } from '../access.ts';
import { now } from '../clock.ts';
import { gitDirectoryOf, type Host, repositoryHtmlUrlOf } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { findFormer, findRepository } from '../repository-records.ts';
import { ARCHIVED } from '../standing.ts';
import { type Actor, actorLabel, actorOf, loginOf } from '../tokens.ts';
import { gitEnvironment } from './git.ts';
import { writeRefs } from './pushes.ts';

const READ: Need = { permission: 'contents', level: 'read', people: 'anybody' };
const SERVICES = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** Answers a git client; undefined when the address is not one of git's. */
export async function answerGit(host: Host, request: Request): Promise<Response | undefined> {
  const url = new URL(request.url);
  const [, owner = '', repo = '', service = ''] = SERVICES.exec(url.pathname) ?? [];
  if (service === '') return undefined;
  const begun = performance.now();
  let actor: Actor = { type: 'anonymous' };
  const respond = async (): Promise<Response> => {
    actor = actorOf(host, request.headers.get('authorization') ?? undefined);
    const repository = findRepository(host, { owner, repo });
    if (!repository) return elsewhere(host, { owner, repo, rest: `.git/${service}${url.search}` });
    return serve(host, { request, repository, actor, service });
  };
  const response = await respond().catch(refusal);
  const { method } = request;
  const durationMs = Math.round(performance.now() - begun);
  host.state.requests.insert({
    at: now(host),
    actor: actorLabel(actor),
    method,
    path: `${url.pathname}${url.search}`,
    status: response.status,
    durationMs,
  });
  return response;
}

/** GitHub sends git on to the present name; git goes on there for the whole exchange. */
function elsewhere(
  host: Host,
  { owner, repo, rest }: { readonly owner: string; readonly repo: string; readonly rest: string },
) {
  const former = findFormer(host, { owner, repo });
  if (!former) throw new HttpError(404, 'Repository not found.');
  return new Response(null, { status: 301, headers: { location: `${repositoryHtmlUrlOf(host, former)}${rest}` } });
}

interface Served {
  readonly request: Request;
  readonly repository: Repository;
  readonly actor: Actor;
  readonly service: string;
}

async function serve(host: Host, served: Served): Promise<Response> {
  const { request, repository, actor, service } = served;
  const pushes =
    service === 'git-receive-pack' || new URL(request.url).searchParams.get('service') === 'git-receive-pack';
  if (pushes) judgePush(host, actor, repository);
  else judgeAccess(host, { actor, need: READ, repository });
  const input = Buffer.from(await request.arrayBuffer());
  const run = () => runBackend(host, served, input);
  if (!pushes || request.method !== 'POST') return run();
  return writeRefs(host, {
    repository,
    pusher: { login: loginOf(actor) ?? '', byJob: actor.type === 'job' },
    work: run,
  });
}

/** GitHub says it to git in other words than by REST. */
function judgePush(host: Host, actor: Actor, repository: Repository): void {
  try {
    judgeAccess(host, { actor, need: CONTENTS_WRITE, repository });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 403 || error.message === ARCHIVED) throw error;
    throw new HttpError(403, `Permission to ${repository.owner}/${repository.name}.git denied to ${loginOf(actor)}.`);
  }
}

/** Refs of pull requests are the server's, and the branch of HEAD stays. */
const REFUSALS = ['receive.hideRefs=refs/pull', 'receive.denyDeleteCurrent=refuse'];

async function runBackend(
  host: Host,
  { request, repository, actor, service }: Served,
  input: Buffer,
): Promise<Response> {
  const result = await runGit({
    argv: [
      ...[`core.hooksPath=${join(host.dataDirectory, 'hooks')}`, ...REFUSALS].flatMap((one) => ['-c', one]),
      'http-backend',
    ],
    input,
    env: {
      ...gitEnvironment(),
      GIT_PROJECT_ROOT: join(host.dataDirectory, 'git'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${gitDirectoryOf(repository)}/${service}`,
      QUERY_STRING: new URL(request.url).search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get('content-type') ?? '',
      HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '',
      GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
      LOCAL_GITHUB_PROTECTED: host.switches.values().protectsDefaultBranch
        ? `refs/heads/${repository.defaultBranch}`
        : '',
      LOCAL_GITHUB_WORKFLOWS: mayWriteWorkflows(actor) ? 'allowed' : 'refused',
      ...(actor.type === 'anonymous' ? {} : { REMOTE_USER: loginOf(actor) ?? '' }),
    },
    mostBytes: 1024 * 1024 * 1024,
  });
  if (result.exitCode !== 0 && result.stdout.length === 0) {
    throw new Error(`git http-backend failed for ${service}: ${result.stderr || result.problem}`);
  }
  return cgiResponse(Buffer.from(result.stdout));
}

function cgiResponse(output: Buffer): Response {
  const end = output.indexOf('\r\n\r\n');
  const headers = new Headers();
  for (const line of output.subarray(0, end).toString().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const status = Number.parseInt(headers.get('status') ?? '200', 10);
  headers.delete('status');
  return new Response(new Uint8Array(output.subarray(end + 4)), { status, headers });
}

function refusal(error: unknown): Response {
  if (!(error instanceof HttpError)) throw error;
  const headers = error.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : undefined;
  return new Response(`${error.message}\n`, headers ? { status: error.status, headers } : { status: error.status });
}
