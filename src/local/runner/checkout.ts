/** `actions/checkout` of the run's own repository by real git; the token travels in the environment, never in argv. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { enclosureOf, environmentOf, type Frame, type StepResult } from './frame.ts';
import { insideJob } from './inside.ts';
import { runProcess } from './process.ts';

/**
 * Checks out `ref` (a branch, tag, full ref or commit; by default what the run is about) into `path`.
 * @throws Error for an input that the local runner does not know, an unknown ref, or git's refusal.
 */
export async function checkout(inputs: Readonly<Record<string, string>>, frame: Frame): Promise<StepResult> {
  refuseUnknown(inputs, frame);
  const { request } = frame.run;
  const directory = resolve(frame.job.workspace, inputs.path ?? '.');
  if (relative(frame.job.workspace, directory).startsWith('..')) {
    throw new Error(`actions/checkout: path "${inputs.path}" is not under the workspace.`);
  }
  await mkdir(await insideJob(frame.job, directory), { recursive: true });
  const git = createGit(directory, frame);
  await git(['init', '--quiet', '--initial-branch=main', '.']);
  await setRemote(git, request.cloneUrl);
  const asked = (inputs.ref ?? '') === '' ? request.sha : (inputs.ref ?? '');
  const target = await resolveRef(git, asked);
  await fetchTarget(git, target, depthOf(inputs));
  if (inputs.clean !== 'false') await git(['clean', '-ffdx', '--quiet']);
  const branch = target.ref?.startsWith('refs/heads/') === true ? target.ref.slice('refs/heads/'.length) : undefined;
  const place = branch === undefined ? ['--detach', target.sha] : ['-B', branch, target.sha];
  await git(['checkout', '--quiet', '--force', ...place]);
  if (inputs['persist-credentials'] !== 'false') await persistCredentials(directory, frame);
  frame.job.log.write(`HEAD is now at ${target.sha}`);
  return { outputs: { commit: target.sha, ref: target.ref ?? '' } };
}

const knownInputs = ['ref', 'path', 'fetch-depth', 'persist-credentials', 'clean', 'repository', 'token'];

function refuseUnknown(inputs: Readonly<Record<string, string>>, frame: Frame): void {
  const unknown = Object.keys(inputs).filter((name) => !knownInputs.includes(name));
  if (unknown.length > 0) {
    throw new Error(`actions/checkout: the local runner knows ${knownInputs.join(', ')}, not ${unknown.join(', ')}.`);
  }
  const repository = inputs.repository ?? frame.run.request.repository;
  if (repository !== frame.run.request.repository) {
    throw new Error(`actions/checkout: the local runner checks out ${frame.run.request.repository} only.`);
  }
}

interface Target {
  /** The full ref, unless a commit was asked for. */
  readonly ref: string | undefined;
  readonly sha: string;
}

/** Runs git in the checkout and resolves to what it printed. @throws Error with git's own words. */
type Git = (args: readonly string[]) => Promise<readonly string[]>;

function createGit(directory: string, frame: Frame): Git {
  return async (args) => {
    const lines: string[] = [];
    frame.job.log.write(`[command]git ${args.join(' ')}`);
    const exitCode = await runProcess({
      command: 'git',
      arguments: args,
      directory,
      environment: { ...environmentOf(frame), ...gitEnvironment(frame) },
      signal: frame.signal,
      ...enclosureOf(frame),
      onLine: (line) => lines.push(line),
    });
    if (exitCode === 0) return lines;
    throw new Error(`git ${args[0] ?? ''} ended with ${exitCode}: ${lines.join(' ').trim()}`);
  };
}

function gitEnvironment(frame: Frame): Record<string, string> {
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `http.${originOf(frame)}.extraheader`,
    GIT_CONFIG_VALUE_0: authorizationOf(frame),
    GIT_CONFIG_KEY_1: 'core.hooksPath',
    GIT_CONFIG_VALUE_1: '/dev/null',
  };
}

const originOf = (frame: Frame): string => `${new URL(frame.run.request.cloneUrl).origin}/`;

/** The header that authorises a clone with the job token; GitHub reads the token from the password. */
export function basicCredentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

const authorizationOf = (frame: Frame): string => `AUTHORIZATION: basic ${basicCredentials(frame.run.request.token)}`;

async function setRemote(git: Git, url: string): Promise<void> {
  const remotes = await git(['remote']);
  await git(['remote', remotes.includes('origin') ? 'set-url' : 'add', 'origin', url]);
}

async function resolveRef(git: Git, asked: string): Promise<Target> {
  if (/^[0-9a-f]{40}$/.test(asked)) return { ref: undefined, sha: asked };
  const candidates = asked.startsWith('refs/') ? [asked] : [`refs/heads/${asked}`, `refs/tags/${asked}`];
  const advertised = await git(['ls-remote', 'origin', ...candidates, ...candidates.map((ref) => `${ref}^{}`)]);
  const shas = new Map(advertised.map((line) => line.split('\t')).map(([sha = '', ref = '']) => [ref, sha]));
  for (const ref of candidates) {
    const sha = shas.get(`${ref}^{}`) ?? shas.get(ref);
    if (sha !== undefined) return { ref, sha };
  }
  throw new Error(`A branch or tag with the name '${asked}' could not be found`);
}

async function fetchTarget(git: Git, target: Target, depth: number): Promise<void> {
  if (depth > 0) {
    await git(['fetch', '--quiet', '--no-tags', `--depth=${depth}`, 'origin', target.sha]);
    return;
  }
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  await git(['fetch', '--quiet', '--no-tags', '--prune', 'origin', ...everything]);
  // A commit on a custom ref is in no branch; GitHub's action asks for it by sha as well.
  const isThere = await git(['cat-file', '-e', `${target.sha}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!isThere) await git(['fetch', '--quiet', '--no-tags', 'origin', target.sha]);
}

function depthOf(inputs: Readonly<Record<string, string>>): number {
  const text = inputs['fetch-depth'] ?? '1';
  if (!/^\d+$/.test(text)) throw new Error(`actions/checkout: fetch-depth "${text}" must be a whole number.`);
  return Number(text);
}

async function persistCredentials(directory: string, frame: Frame): Promise<void> {
  const section = `[http "${originOf(frame)}"]\n\textraheader = ${authorizationOf(frame)}\n`;
  await appendFile(await insideJob(frame.job, join(directory, '.git', 'config')), section);
}
