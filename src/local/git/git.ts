/** Git plumbing on bare repositories; nothing is ever checked out. */
import { runGit } from '../../git-process/run-git.ts';
import { machineEnvironment } from '../machine-environment.ts';
import type { Remembered } from './remembered.ts';

/** What every git process of the server gets: where programs are, no configuration of the machine's user, no prompts. */
export function gitEnvironment(): Record<string, string> {
  return {
    ...machineEnvironment(),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  };
}

export const NO_COMMIT = '0'.repeat(40);

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Git {
  /** Output without its final newline. Throws a GitError when git fails. */
  readonly text: (parameters: readonly string[], options?: GitOptions) => Promise<string>;
  readonly bytes: (parameters: readonly string[], options?: GitOptions) => Promise<Uint8Array>;
  /** Undefined when git answers "there is none" (exit code 1). Throws a GitError when it fails in any other way. */
  readonly attempt: (parameters: readonly string[], options?: GitOptions) => Promise<string | undefined>;
  readonly directory: string;
}

/** A git command that failed. */
export class GitError extends Error {
  override name = 'GitError';
}

/** Git on one bare repository; what it `remembered` is not asked again. */
export function createGit(directory: string, remembered?: Remembered): Git {
  const start = (parameters: readonly string[], { input, environment }: GitOptions) =>
    runGit({
      argv: ['--git-dir', directory, ...parameters],
      env: { ...gitEnvironment(), ...environment },
      mostBytes: 512 * 1024 * 1024,
      ...(input === undefined ? {} : { input }),
    });
  const run = async (parameters: readonly string[], options: GitOptions = {}) => {
    // What it is given beside its parameters, or where it looks, is part of no question that is remembered.
    const isMore = options.input !== undefined || options.environment !== undefined;
    const { exitCode, stdout, stderr, problem } = await (remembered === undefined || isMore
      ? start(parameters, options)
      : remembered(directory, parameters, () => start(parameters, options)));
    const failure = `git ${parameters[0]} failed in ${directory}: ${stderr.trimEnd() || problem}`;
    return { exitCode, stdout, failure };
  };
  const bytes = async (parameters: readonly string[], options?: GitOptions): Promise<Uint8Array> => {
    const { exitCode, stdout, failure } = await run(parameters, options);
    if (exitCode !== 0) throw new GitError(failure);
    return stdout;
  };
  return {
    directory,
    bytes,
    text: async (parameters, options) => decode(await bytes(parameters, options)),
    attempt: async (parameters, options) => {
      const { exitCode, stdout, failure } = await run(parameters, options);
      if (exitCode !== 0 && exitCode !== 1) throw new GitError(failure);
      return exitCode === 0 ? decode(stdout) : undefined;
    },
  };
}

/** What kind of object this is; undefined when there is none of this id. */
export async function objectTypeOf(git: Git, sha: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return undefined;
  const answer = await git.text(['cat-file', '--batch-check=%(objecttype)'], { input: `${sha}\n` });
  return answer === `${sha} missing` ? undefined : answer;
}

/** Makes a bare repository that serves partial clones and any object by its id, from a repository on disk. */
export async function importRepository(source: string, directory: string): Promise<void> {
  const { exitCode, stderr, problem } = await runGit({
    argv: ['clone', '--quiet', '--bare', '--no-hardlinks', source, directory],
    env: gitEnvironment(),
    mostBytes: 1024 * 1024,
  });
  if (exitCode !== 0) throw new GitError(`--import ${source}: git cannot clone it: ${stderr.trimEnd() || problem}`);
  const git = createGit(directory);
  for (const [key, value] of CONFIGURATION) await git.text(['config', key, value]);
  await git.text(['remote', 'remove', 'origin']);
  const trunk = await trunkOf(source, git);
  if (trunk !== undefined) await git.text(['symbolic-ref', 'HEAD', `refs/heads/${trunk}`]);
}

/** What its origin calls the default branch, else the usual names; where none of them is there, what is checked out stays it. */
async function trunkOf(source: string, git: Git): Promise<string | undefined> {
  const { exitCode, stdout } = await runGit({
    argv: ['-C', source, 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'],
    env: gitEnvironment(),
    mostBytes: 1024 * 1024,
  });
  const told = exitCode === 0 ? [decode(stdout).replace(/^origin\//, '')] : [];
  for (const name of [...told, 'main', 'master'])
    if ((await git.attempt(['show-ref', '--verify', '--quiet', `refs/heads/${name}`])) !== undefined) return name;
  return undefined;
}

const CONFIGURATION = [
  ['http.receivepack', 'true'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
  ['gc.auto', '0'],
  ['core.logAllRefUpdates', 'false'],
] as const;

function decode(output: Uint8Array): string {
  return new TextDecoder().decode(output).replace(/\n$/, '');
}
