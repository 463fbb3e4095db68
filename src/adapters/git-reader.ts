/** The only door to git in the App: a short list of subcommands that read and compare; nothing that pushes, checks out or runs code of a repository. */
import { execa } from 'execa';
import { LoopError } from '../errors.ts';
import { mayUseGitService } from '../github/guard.ts';
import { childEnvironment } from '../settings/env.ts';

/** A git command that the App must never run; it was stopped before it started. */
export class GitRefusedError extends LoopError {
  override name = 'GitRefusedError';
}

export interface GitCommand {
  /** Bare repository. */
  readonly directory: string;
  /** The subcommand first. */
  readonly argv: readonly string[];
  readonly input?: string;
  /** git answers "no" with exit code 1; then its output is the answer. */
  readonly mayAnswerNo?: boolean;
  /** Sent as an HTTP header through the environment, so it stands in no process list. */
  readonly token?: string | undefined;
}

/** Which service of a server a subcommand speaks to; undefined for those that stay on this machine. */
const SUBCOMMANDS: Readonly<Record<string, 'git-upload-pack' | undefined>> = {
  init: undefined,
  config: undefined,
  fetch: 'git-upload-pack',
  'cat-file': undefined,
  'ls-tree': undefined,
  mktree: undefined,
  'merge-base': undefined,
  'merge-tree': undefined,
  'diff-tree': undefined,
  'rev-parse': undefined,
};

/** No hooks, no filters, no submodules, no other protocol than HTTP, no prompt. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.allow=never',
  'protocol.http.allow=always',
  'protocol.https.allow=always',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
];

const TIMEOUT_MS = 120_000;

/**
 * Runs one git command that reads and returns its output.
 * @throws {GitRefusedError} for every other subcommand, before anything runs.
 */
export async function readGit({ directory, argv, input, mayAnswerNo, token }: GitCommand): Promise<string> {
  const [subcommand = ''] = argv;
  const service = SUBCOMMANDS[subcommand];
  if (!Object.hasOwn(SUBCOMMANDS, subcommand) || (service !== undefined && !mayUseGitService(service))) {
    throw new GitRefusedError(
      `git ${subcommand} was stopped before it ran: the App reads repositories and never pushes or checks out`,
    );
  }
  const result = await execa(
    'git',
    [...SETTINGS.flatMap((setting) => ['-c', setting]), '--git-dir', directory, ...argv],
    {
      extendEnv: false,
      env: {
        ...childEnvironment(),
        ...credentialsOf(token),
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_LFS_SKIP_SMUDGE: '1',
      },
      timeout: TIMEOUT_MS,
      stripFinalNewline: false,
      reject: false,
      maxBuffer: 64 * 1024 * 1024,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    },
  );
  if (!result.failed || (mayAnswerNo === true && result.exitCode === 1)) return result.stdout;
  throw new LoopError(`git ${subcommand} failed: ${result.stderr.split('\n')[0] || result.shortMessage}`);
}

function credentialsOf(token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}
