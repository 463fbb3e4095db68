/** Git plumbing on bare repositories; nothing is ever checked out. */
import { execa } from 'execa';

/** What every git process of the server gets: no configuration of the machine's user, no prompts. */
export const GIT_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
};

export const NO_COMMIT = '0'.repeat(40);

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Git {
  /** Output without its final newline. Throws a GitError when git fails. */
  readonly text: (parameters: readonly string[], options?: GitOptions) => Promise<string>;
  readonly bytes: (parameters: readonly string[], options?: GitOptions) => Promise<Uint8Array>;
  /** Undefined when git fails: for questions whose answer may be "there is none". */
  readonly attempt: (parameters: readonly string[], options?: GitOptions) => Promise<string | undefined>;
  readonly directory: string;
}

/** A git command that failed. */
export class GitError extends Error {
  override name = 'GitError';
}

/** Git on one bare repository. */
export function createGit(directory: string): Git {
  const run = async (parameters: readonly string[], { input, environment }: GitOptions = {}) => {
    const result = await execa('git', ['--git-dir', directory, ...parameters], {
      env: { ...GIT_ENVIRONMENT, ...environment },
      encoding: 'buffer',
      reject: false,
      stripFinalNewline: false,
      maxBuffer: 512 * 1024 * 1024,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
    });
    return { ok: result.exitCode === 0, stdout: result.stdout, stderr: result.stderr };
  };
  const bytes = async (parameters: readonly string[], options?: GitOptions): Promise<Uint8Array> => {
    const { ok, stdout, stderr } = await run(parameters, options);
    if (!ok) throw new GitError(`git ${parameters[0]} failed in ${directory}: ${decode(stderr)}`);
    return stdout;
  };
  return {
    directory,
    bytes,
    text: async (parameters, options) => decode(await bytes(parameters, options)),
    attempt: async (parameters, options) => {
      const { ok, stdout } = await run(parameters, options);
      return ok ? decode(stdout) : undefined;
    },
  };
}

/** Makes a bare repository that serves partial clones and any object by its id, from a repository on disk. */
export async function importRepository(source: string, directory: string): Promise<void> {
  const cloned = await execa('git', ['clone', '--quiet', '--bare', '--no-hardlinks', source, directory], {
    env: GIT_ENVIRONMENT,
    reject: false,
  });
  if (cloned.exitCode !== 0) throw new GitError(`--import ${source}: git cannot clone it: ${cloned.stderr}`);
  const git = createGit(directory);
  for (const [key, value] of CONFIGURATION) await git.text(['config', key, value]);
  await git.attempt(['remote', 'remove', 'origin']);
}

const CONFIGURATION = [
  ['http.receivepack', 'true'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
  ['receive.denyDeleteCurrent', 'ignore'],
  ['gc.auto', '0'],
  ['core.logAllRefUpdates', 'false'],
] as const;

function decode(output: Uint8Array): string {
  return new TextDecoder().decode(output).replace(/\n$/, '');
}
