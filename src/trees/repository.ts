/** The job's own copy of the repository's history, out of the sandbox's reach, and git run on it without hooks, filters or foreign settings. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { LRUCache } from 'lru-cache';
import { contentsIn } from './contents.ts';

/** Git on the private copy; `workspace` is its work tree. */
export interface Repository {
  /** Path of the bare copy. */
  readonly gitDirectory: string;
  readonly workspace: string;
  readonly scratch: string;
  /** Runs git with these arguments and returns its standard output. @throws {Error} with git's own text. */
  git(
    args: readonly string[],
    options?: { readonly index?: string; readonly workTree?: string; readonly input?: string },
  ): Promise<Buffer>;
}

const OWN_SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.symlinks=true', 'core.autocrlf=false'],
  ...['core.quotePath=false', 'safe.directory=*', 'gc.auto=0', 'protocol.allow=never', 'protocol.file.allow=always'],
].flatMap((setting) => ['-c', setting]);
const OWN_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ATTR_NOSYSTEM: '1',
} as const;

/** Copies the history of a checked-out workspace into `scratch`; call it before anything generated has run. */
export async function openRepository(workspace: string, scratch: string): Promise<Repository> {
  return clone(workspace, scratch, ['--bare', '--no-hardlinks']);
}

/** Like that with all refs, remote ones too, and without a copy of the objects: for a workspace in which nothing generated will run. */
export async function openMirror(workspace: string, scratch: string): Promise<Repository> {
  return clone(workspace, scratch, ['--mirror', '--shared']);
}

async function clone(workspace: string, scratch: string, how: readonly string[]): Promise<Repository> {
  await mkdir(scratch, { recursive: true });
  const gitDirectory = join(await mkdtemp(join(scratch, 'history-')), 'repository.git');
  await runGit(['clone', '--quiet', ...how, '--', workspace, gitDirectory], scratch, {});
  const git: Repository['git'] = (args, options = {}) =>
    runGit(
      [`--git-dir=${gitDirectory}`, `--work-tree=${options.workTree ?? workspace}`, ...args],
      options.workTree ?? workspace,
      { GIT_INDEX_FILE: options.index ?? join(gitDirectory, 'index') },
      options.input,
    );
  return { gitDirectory, workspace, scratch, git: remembering(git) };
}

const KEPT_BYTES = 32_000_000;
const READS = new Set(['show', 'ls-tree', 'cat-file']);
const BY_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?::|$)/;

/** What an object holds never changes, and each start of git holds this process up: what was read lately by an object's id is not read again. */
function remembering(git: Repository['git']): Repository['git'] {
  const kept = new LRUCache<string, Buffer>({ maxSize: KEPT_BYTES, sizeCalculation: ({ length }) => length + 1 });
  return async (args, options) => {
    if (options !== undefined || !READS.has(args[0] ?? '') || !BY_ID.test(args.at(-1) ?? '')) return git(args, options);
    const key = args.join('\0');
    const known = kept.get(key);
    if (known !== undefined) return Buffer.from(known);
    const read = await git(args);
    kept.set(key, read);
    return Buffer.from(read);
  };
}

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** All files that the commit has, and their modes and object ids. */
export async function treeOf(repository: Repository, commit: string): Promise<readonly TreeEntry[]> {
  return split(await repository.git(['ls-tree', '-r', '-z', '--full-tree', commit])).flatMap((record) => {
    const match = /^(?<mode>\d{6}) \w+ (?<id>[0-9a-f]+)\t(?<path>[\s\S]+)$/.exec(record)?.groups;
    return match === undefined ? [] : [{ path: match.path ?? '', mode: match.mode ?? '', id: match.id ?? '' }];
  });
}

/** The records of what git prints with `-z`. */
export function split(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((record) => record !== '');
}

/** Writes the files of a commit into an empty folder. */
export async function layTree(repository: Repository, commit: string, folder: string): Promise<void> {
  const index = join(repository.gitDirectory, `index-${commit}`);
  await mkdir(folder, { recursive: true });
  await repository.git(['read-tree', commit], { index });
  await repository.git(['checkout-index', '--all', '--force'], { index, workTree: folder });
}

/** Shows the difference of two folders as a unified diff; the folders are compared as files, not as repositories. */
export async function diffOfFolders(before: string, after: string, directory: string): Promise<string> {
  const args = ['diff', '--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--no-prefix'];
  const result = await execa('git', [...OWN_SETTINGS, ...args, '--', before, after], {
    cwd: directory,
    env: { ...OWN_ENVIRONMENT, GIT_CEILING_DIRECTORIES: join(directory, '..') },
    reject: false,
    maxBuffer: 64_000_000,
    stripFinalNewline: false,
  });
  if (result.exitCode === 0 || result.exitCode === 1) return result.stdout;
  throw new Error(`git diff of ${before} and ${after} failed: ${result.stderr}`);
}

/** Runs git in a directory, without hooks, filters or foreign settings. @throws {Error} with git's own text. */
export async function runGit(
  args: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Buffer> {
  const result = await execa('git', [...OWN_SETTINGS, ...args], {
    cwd: directory,
    env: { ...OWN_ENVIRONMENT, ...env },
    input,
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 256_000_000,
    reject: false,
  });
  if (result.exitCode === 0) return Buffer.from(result.stdout);
  const said = Buffer.from(result.stderr ?? [])
    .toString()
    .trim();
  throw new Error(`git ${args.find((word) => !word.startsWith('-'))} failed: ${said || result.shortMessage}`);
}

/** So many files are read by one process: all of a large repository may be more than its output holds. */
const AT_ONCE = 500;

/** The texts of the files among these that a tree holds, told by `mode id` for each path; links and submodules have none. */
export async function textsIn(
  repository: Repository,
  tree: ReadonlyMap<string, string>,
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const blobs = [...new Set(paths)].flatMap((path) => {
    const id = /^100\d{3} (?<id>[0-9a-f]+)$/.exec(tree.get(path) ?? '')?.groups?.id;
    return id === undefined ? [] : [{ path, id }];
  });
  const texts = new Map<string, string>();
  for (let from = 0; from < blobs.length; from += AT_ONCE) {
    const some = blobs.slice(from, from + AT_ONCE);
    const found = contentsIn(
      await repository.git(['cat-file', '--batch'], { input: some.map(({ id }) => `${id}\n`).join('') }),
    );
    for (const [index, { path, id }] of some.entries()) {
      const { id: told, content } = found[index] ?? {};
      if (told !== id || content === undefined) throw new Error(`git does not tell what ${path} (${id}) holds`);
      texts.set(path, content);
    }
  }
  return texts;
}
