/** Git repositories of the stage: one commit each, shared by all who ask for the same files, because nobody writes into one. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GitResult, runGit } from '../../src/git-process/run-git.ts';
import type { Workspace } from '../../src/ports.ts';

const repositories = new Map<string, Promise<Repository>>();

export interface Repository {
  readonly sha: string;
  readonly workspace: {
    readonly text: (ref: string, path: string) => Promise<string | undefined>;
    readonly port: Workspace;
  };
}

/** One commit of these files. */
export function repositoryOf(files: Readonly<Record<string, string>>): Promise<Repository> {
  const key = JSON.stringify(Object.entries(files).toSorted());
  const made = repositories.get(key) ?? commitFiles(files);
  repositories.set(key, made);
  return made;
}

async function commitFiles(files: Readonly<Record<string, string>>): Promise<Repository> {
  const { SHARED_BY_TESTS } = process.env;
  if (SHARED_BY_TESTS === undefined) throw new Error('test/prepared.ts has not prepared a directory');
  const directory = await mkdtemp(join(SHARED_BY_TESTS, 'repository-'));
  const git = async (...argv: readonly string[]): Promise<string> => {
    const said = textUnlessFailed(await gitIn(directory, argv));
    if (said === undefined) throw new Error(`git ${argv.join(' ')} failed`);
    return said;
  };
  await git('init', '-q');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  await git('add', '-A');
  await git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'Start');
  return { sha: (await git('rev-parse', 'HEAD')).trim(), workspace: gitWorkspace(directory) };
}

/** The workspace port over a local repository in which nothing changes, so that git is asked once for each answer; refuses files over 256 KiB like the real one. */
function gitWorkspace(directory: string): Repository['workspace'] {
  const answers = new Map<string, Promise<string | undefined>>();
  const git = (...argv: readonly string[]): Promise<string | undefined> => {
    const key = argv.join(' ');
    const answer = answers.get(key) ?? gitIn(directory, argv).then(textUnlessFailed);
    answers.set(key, answer);
    return answer;
  };
  const text = (ref: string, path: string) => git('show', `${ref}:${path}`);
  return {
    text,
    port: {
      async files(_, sha) {
        const listed = await git('ls-tree', '-r', '-l', '-z', sha);
        if (listed === undefined) throw new Error(`there is no commit ${sha}`);
        return listed.split('\0').filter(Boolean).map(fileOf);
      },
      async read(_, sha, path) {
        const found = await text(sha, path);
        return found === undefined || found.includes('\0') || found.length > 256 * 1024 ? undefined : found;
      },
      async texts(repository, sha, paths) {
        const found = await Promise.all(
          paths.map(async (path) => [path, await this.read(repository, sha, path)] as const),
        );
        return new Map(found.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
      },
      codeTree: refuse,
      mergeBase: refuse,
      merge: refuse,
      forget: refuse,
    },
  };
}

/** A line of `git ls-tree -l`. */
function fileOf(line: string) {
  const [, mode = '', type = '', , size = '0', path = ''] = /^(\d+) (\w+) (\w+)\s+(\S+)\t(.*)$/s.exec(line) ?? [];
  return { path, mode, type: type === 'commit' ? ('commit' as const) : ('blob' as const), sizeBytes: Number(size) };
}

function gitIn(directory: string, argv: readonly string[]): Promise<GitResult> {
  const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return runGit({ argv: ['-C', directory, ...argv], env, mostBytes: 64 * 1024 * 1024 });
}

function textUnlessFailed({ exitCode, stdout }: GitResult): string | undefined {
  return exitCode === 0 ? Buffer.from(stdout).toString('utf8') : undefined;
}
/** Makes it at the first call, and gives the same ever after. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A port that must not be used. */
export function refuse(): Promise<never> {
  return Promise.reject(new Error('A drafting phase must not use this port.'));
}
