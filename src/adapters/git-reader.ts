/** The only door to git in the App: a short list of subcommands that read and compare; nothing that pushes, checks out or runs code of a repository. */
import { LoopError } from '../errors.ts';
import { runGit } from '../git-process/run-git.ts';
import { mayUseGitService } from '../github/guard.ts';
import { childEnvironment, fetchingEnvironment } from '../settings/env.ts';

/** A git command that the App must never run; it was stopped before it started. */
export class GitRefusedError extends LoopError {
  override name = 'GitRefusedError';
}

/** The server does not take the token: it has expired, or reaches nothing any more. */
export class GitDeniedError extends LoopError {
  override name = 'GitDeniedError';
}

/** What git says of a 401, for which it would ask somebody. */
const DENIED = /could not read Username|Authentication failed/;

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
/** A file's byte order mark is a part of it. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What git wrote, as text; bytes that are no UTF-8 are told as such. */
export function textOfOutput(output: Uint8Array): string {
  return UTF8.decode(output);
}

/**
 * Runs one git command that reads and returns its output.
 * @throws {GitRefusedError} for every other subcommand, before anything runs, {GitDeniedError} when the server does not take the token.
 */
export async function readGit({ directory, argv, input, mayAnswerNo, token }: GitCommand): Promise<Uint8Array> {
  const [subcommand = ''] = argv;
  const service = SUBCOMMANDS[subcommand];
  if (!Object.hasOwn(SUBCOMMANDS, subcommand) || (service !== undefined && !mayUseGitService(service))) {
    throw new GitRefusedError(
      `git ${subcommand} was stopped before it ran: the App reads repositories and never pushes or checks out`,
    );
  }
  const { exitCode, stdout, stderr, problem } = await runGit({
    argv: [...SETTINGS.flatMap((setting) => ['-c', setting]), '--git-dir', directory, ...argv],
    env: {
      ...childEnvironment(),
      ...fetchingEnvironment(),
      ...credentialsOf(token),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_LFS_SKIP_SMUDGE: '1',
    },
    timeoutMs: TIMEOUT_MS,
    mostBytes: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (exitCode === 0 || (mayAnswerNo === true && exitCode === 1)) return stdout;
  const failure = `git ${subcommand} failed: ${stderr.split('\n')[0] || problem}`;
  throw DENIED.test(stderr) ? new GitDeniedError(failure) : new LoopError(failure);
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
