/** For the tests of the local Actions: a run in a temporary folder, and a real git server with one repository. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { executeWorkflow } from '../../src/local/actions/workflow-execution.ts';
import type {
  WorkflowArtifact,
  WorkflowExecution,
  WorkflowJob,
  WorkflowResult,
} from '../../src/local/actions/workflow-types.ts';
import { type ExecuteJob, executeJob } from '../../src/local/runner/job.ts';
import { listening } from '../listening.ts';

export interface RunRecord {
  readonly result: WorkflowResult;
  readonly updates: readonly WorkflowJob[];
  readonly artifacts: readonly WorkflowArtifact[];
  readonly directory: string;
  /** The log of a job by its id. */
  readonly log: (id: string) => string;
}

/** Executes a workflow text as a dispatch of `octo/toys`, unless told otherwise. */
export async function runWorkflow(text: string, changes: Partial<WorkflowExecution> = {}): Promise<RunRecord> {
  const updates: WorkflowJob[] = [];
  const artifacts: WorkflowArtifact[] = [];
  const execution = await executionOf({
    text,
    onJob: (job) => updates.push(job),
    onArtifact: (artifact) => artifacts.push(artifact),
    ...changes,
  });
  const result = await executeHere(execution);
  const log = (id: string): string => result.jobs.find((job) => job.id === id)?.log ?? '';
  return { result, updates, artifacts, directory: execution.directory, log };
}

/** Performs the jobs in this process, each in a folder of the run's. */
export function executeHere(execution: WorkflowExecution, execute: ExecuteJob = executeJob): Promise<WorkflowResult> {
  return executeWorkflow(execution, (job) => execute(job, { directory: join(execution.directory, 'work', job.key) }));
}

/** What the embedded GitHub would ask to be executed. */
export async function executionOf(changes: Partial<WorkflowExecution>): Promise<WorkflowExecution> {
  return {
    path: '.github/workflows/test.yml',
    text: '',
    event: 'workflow_dispatch',
    payload: { repository: { default_branch: 'main' } },
    inputs: {},
    repository: 'octo/toys',
    repositoryId: 7,
    defaultBranch: 'main',
    actor: 'alice',
    sha: '0'.repeat(40),
    ref: 'refs/heads/main',
    runId: 11,
    runNumber: 3,
    attempt: 1,
    serverUrl: 'http://127.0.0.1:9',
    artifacts: 'newest',
    cloneUrl: 'http://127.0.0.1:9/octo/toys.git',
    token: 'ghs_secretOfTheRun',
    tokenFor: (permissions) => `ghs_secretOf${JSON.stringify(permissions)}`,
    admit: async () => ({ admitted: true, variables: {}, secrets: [] }),
    directory: await temporaryDirectory(),
    signal: new AbortController().signal,
    onJob: () => undefined,
    onArtifact: () => undefined,
    ...changes,
  };
}

/** A workflow of one job `only` with these steps (YAML list items, indented by nothing). */
export function oneJob(steps: string, keys = ''): string {
  const indented = steps.trim().replaceAll('\n', '\n      ');
  return `on: workflow_dispatch\njobs:\n  only:\n    runs-on: ubuntu-latest\n${keys}    steps:\n      ${indented}\n`;
}

const created: string[] = [];

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-workflow-'));
  created.push(directory);
  return directory;
}

/** For `afterAll`: removes every folder that this file's tests made. */
export async function removeTemporaryDirectories(): Promise<void> {
  await Promise.all(created.splice(0).map((directory) => rm(directory, { recursive: true, force: true })));
}

export interface GitServer {
  readonly cloneUrl: string;
  /** Authorization headers that arrived. */
  readonly authorizations: readonly string[];
  /** Runs git in the bare repository and resolves to its output. */
  readonly git: (...args: readonly string[]) => string;
  /** Commits these files on top of the parent, moves the ref to it and resolves to the commit's sha. */
  readonly commit: (ref: string, files: Readonly<Record<string, string>>) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Serves a bare repository by `git http-backend`; the token is asked for, as for a private repository. */
export async function startGitServer(token: string): Promise<GitServer> {
  const root = await temporaryDirectory();
  const bare = join(root, 'octo', 'toys.git');
  const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@x' };
  const environment = { PATH: process.env.PATH ?? '', HOME: root, ...person };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['--git-dir', bare, ...args], { env: environment, encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare], { env: environment });
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const authorizations: string[] = [];
  const expected = `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const { url, close } = await serve((request, response) => {
    const authorization = request.headers.authorization ?? '';
    authorizations.push(authorization);
    if (authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
      return;
    }
    const address = new URL(request.url ?? '/', 'http://localhost');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: address.pathname,
        QUERY_STRING: address.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const cut = answer.indexOf('\r\n\r\n');
      const headers = answer
        .subarray(0, cut)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': '));
      const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
      for (const [name = '', value = ''] of headers) if (name !== 'Status') response.setHeader(name, value);
      response.writeHead(Number.parseInt(status, 10)).end(answer.subarray(cut + 4));
    });
  });
  const commit = async (ref: string, files: Readonly<Record<string, string>>): Promise<string> => {
    const tree = await mkdtemp(join(root, 'tree-'));
    const index = join(tree, '.index');
    const inTree = (...args: readonly string[]): string =>
      execFileSync('git', ['--git-dir', bare, '--work-tree', tree, ...args], {
        env: { ...environment, GIT_INDEX_FILE: index },
        encoding: 'utf8',
      }).trim();
    const parent = git('for-each-ref', '--format=%(objectname)', ref);
    if (parent !== '') inTree('read-tree', parent);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), content);
      inTree('add', '--force', path);
    }
    const parents = parent === '' ? [] : ['-p', parent];
    const sha = git('commit-tree', inTree('write-tree'), ...parents, '-m', `Change ${Object.keys(files).join(', ')}`);
    git('update-ref', ref, sha);
    return sha;
  };
  return { cloneUrl: `${url}/octo/toys.git`, authorizations, git, commit, close };
}

export interface HttpServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function serve(listener: RequestListener): Promise<HttpServer> {
  const server: Server = createServer(listener);
  const url = await listening(server);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}
