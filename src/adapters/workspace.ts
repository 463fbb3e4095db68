/** The workspace port: repositories as bare partial clones, read by commit and never checked out. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RepositoryRef } from '../github/github-port.ts';
import type { Workspace } from '../ports.ts';
import { mergeOf, type Reader } from './git-merge.ts';
import { readGit } from './git-reader.ts';

export interface WorkspaceOptions {
  /** Holds one bare repository per repository id. */
  readonly directory: string;
  readonly gitUrlOf: (repository: RepositoryRef) => string;
  /** A token that may read the repository. */
  readonly tokenOf: (repository: RepositoryRef) => Promise<string>;
}

type Entry = Awaited<ReturnType<Workspace['files']>>[number];

/** Larger files are neither fetched at first nor read. */
const MAX_BYTES = 256 * 1024;

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const fetched = new Map<string, Promise<string>>();
  const last = new Map<number, Promise<unknown>>();
  /** Fetches of one repository come one after another, because git locks its configuration; the same commit is fetched once. */
  const fetchOnce = (repository: RepositoryRef, sha: string): Promise<string> => {
    const key = `${repository.repositoryId}/${sha}`;
    const known = fetched.get(key);
    if (known !== undefined) return known;
    const turn = () => fetchCommit(options, repository, sha);
    const fetching = (last.get(repository.repositoryId) ?? Promise.resolve()).then(turn, turn);
    fetched.set(key, fetching);
    last.set(repository.repositoryId, fetching);
    fetching.catch(() => fetched.delete(key));
    return fetching;
  };
  const holding = async (repository: RepositoryRef, sha: string) =>
    readerOf(options, repository, await fetchOnce(repository, sha));
  const holdingBoth = async (repository: RepositoryRef, left: string, right: string) => {
    await fetchOnce(repository, left);
    return holding(repository, right);
  };
  return {
    async files(repository, sha) {
      const read = await holding(repository, sha);
      return entriesOf(await read(['ls-tree', '-r', '-l', '-z', '--full-tree', sha]));
    },
    async read(repository, sha, path) {
      const read = await holding(repository, sha);
      const [entry] = entriesOf(await read(['ls-tree', '-l', '-z', '--full-tree', sha, '--', path]));
      if (entry === undefined || entry.path !== path || entry.type !== 'blob' || entry.sizeBytes > MAX_BYTES)
        return undefined;
      const text = await read(['cat-file', 'blob', `${sha}:${path}`]);
      return text.includes('\0') ? undefined : text;
    },
    async codeTree(repository, sha) {
      const read = await holding(repository, sha);
      const rows = (await read(['ls-tree', '-z', '--full-tree', sha]))
        .split('\0')
        .filter((row) => row !== '' && !row.endsWith('\t.loopwright'));
      return (await read(['mktree', '-z', '--missing'], { input: rows.map((row) => `${row}\0`).join('') })).trim();
    },
    async mergeBase(repository, left, right) {
      const read = await holdingBoth(repository, left, right);
      const found = (await read(['merge-base', left, right], { mayAnswerNo: true })).trim();
      return found === '' ? undefined : found;
    },
    async merge(repository, head, base) {
      return mergeOf(await holdingBoth(repository, head, base), head, base);
    },
  };
}

/** Large files are fetched when git needs them, so every reading command may need the token. */
async function readerOf({ tokenOf }: WorkspaceOptions, repository: RepositoryRef, directory: string): Promise<Reader> {
  const token = await tokenOf(repository);
  return (argv, more) => readGit({ directory, argv, token, ...more });
}

/** Fetches one commit with its history under a ref of its own, which keeps it from being collected. */
async function fetchCommit(options: WorkspaceOptions, repository: RepositoryRef, sha: string): Promise<string> {
  const directory = join(options.directory, `${repository.repositoryId}.git`);
  await mkdir(directory, { recursive: true });
  const read = await readerOf(options, repository, directory);
  await read(['init', '--bare', '--quiet', directory]);
  const settings = {
    'remote.origin.url': options.gitUrlOf(repository),
    'remote.origin.promisor': 'true',
    'remote.origin.partialCloneFilter': `blob:limit=${MAX_BYTES}`,
  };
  for (const [name, value] of Object.entries(settings)) await read(['config', name, value]);
  await read([
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    `--filter=blob:limit=${MAX_BYTES}`,
    'origin',
    `+${sha}:refs/kept/${sha}`,
  ]);
  return directory;
}

const row = z.tuple([z.string(), z.enum(['blob', 'commit', 'tree']), z.string(), z.string()]);

/** Reads `<mode> <type> <object> <size>\t<path>`, NUL between entries. */
function entriesOf(output: string): readonly Entry[] {
  return output
    .split('\0')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const tab = line.indexOf('\t');
      const [mode, type, , size] = row.parse(line.slice(0, tab).split(/ +/));
      return type === 'tree'
        ? []
        : [{ path: line.slice(tab + 1), mode, type, sizeBytes: size === '-' ? 0 : Number(size) }];
    });
}
