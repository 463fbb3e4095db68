/** The workspace port: repositories as bare partial clones, read by commit and never checked out. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RepositoryRef } from '../github/github-port.ts';
import type { Workspace } from '../ports.ts';
import { createClones, KEPT } from './clones.ts';
import { type Blob, type ByteReader, blobTexts } from './git-blobs.ts';
import { mergeOf, type Reader } from './git-merge.ts';
import { GitDeniedError, readGit, textOfOutput } from './git-reader.ts';

export interface WorkspaceOptions {
  /** Holds one bare repository per repository id. */
  readonly directory: string;
  readonly gitUrlOf: (repository: RepositoryRef) => string;
  /** A token that may read the repository. */
  readonly tokenOf: (repository: RepositoryRef) => Promise<string>;
  /** The server no longer takes it: the next one must be new. */
  readonly renewToken: (repository: RepositoryRef) => void;
}

type Entry = Awaited<ReturnType<Workspace['files']>>[number] & Blob;

/** Larger files are neither fetched at first nor read. */
const MAX_BYTES = 256 * 1024;

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const clones = createClones(options.directory, async (directory, repository, sha) => {
    const read = asText(await readerOf(options, repository, directory));
    await fetchCommit(read, options.gitUrlOf(repository), { directory, sha });
  });
  /** Holds the commits for as long as the work with them lasts. */
  const reading = <Result>(
    repository: RepositoryRef,
    shas: readonly string[],
    work: (read: Reader, readBytes: ByteReader) => Promise<Result>,
  ): Promise<Result> =>
    clones.holding(repository, shas, async (directory) => {
      const readBytes = await readerOf(options, repository, directory);
      return work(asText(readBytes), readBytes);
    });
  return {
    files: (repository, sha) => reading(repository, [sha], (read) => filesOf(read, sha)),
    read: (repository, sha, path) => reading(repository, [sha], (read) => textOf(read, sha, path)),
    texts: async (repository, sha, paths) =>
      paths.length === 0
        ? new Map()
        : reading(repository, [sha], async (read, readBytes) => {
            const asked = new Set(paths);
            const entries = (await filesOf(read, sha)).filter((entry) => asked.has(entry.path) && hasText(entry));
            const texts = await blobTexts(readBytes, entries);
            return new Map(entries.flatMap(({ path, id }) => pairOf(path, texts.get(id))));
          }),
    codeTree: (repository, sha) => reading(repository, [sha], (read) => codeTreeOf(read, sha)),
    mergeBase: (repository, left, right) =>
      reading(repository, [left, right], async (read) => {
        const found = (await read(['merge-base', left, right], { mayAnswerNo: true })).trim();
        return found === '' ? undefined : found;
      }),
    merge: (repository, head, base) => reading(repository, [head, base], (read) => mergeOf(read, head, base)),
    forget: (before) => clones.forget(before),
  };
}

async function filesOf(read: Reader, sha: string): Promise<readonly Entry[]> {
  return entriesOf(await read(['ls-tree', '-r', '-l', '-z', '--full-tree', sha]));
}

function hasText({ type, sizeBytes }: Entry): boolean {
  return type === 'blob' && sizeBytes <= MAX_BYTES;
}

function pairOf(path: string, text: string | undefined): readonly (readonly [string, string])[] {
  return text === undefined ? [] : [[path, text]];
}

async function textOf(read: Reader, sha: string, path: string): Promise<string | undefined> {
  const [entry] = entriesOf(await read(['ls-tree', '-l', '-z', '--full-tree', sha, '--', path]));
  if (entry === undefined || entry.path !== path || !hasText(entry)) return undefined;
  const text = await read(['cat-file', 'blob', `${sha}:${path}`]);
  return text.includes('\0') ? undefined : text;
}

async function codeTreeOf(read: Reader, sha: string): Promise<string> {
  const rows = (await read(['ls-tree', '-z', '--full-tree', sha]))
    .split('\0')
    .filter((row) => row !== '' && !row.endsWith('\t.loopwright'));
  return (await read(['mktree', '-z', '--missing'], { input: rows.map((row) => `${row}\0`).join('') })).trim();
}

/** Large files are fetched when git needs them, so every reading command may need the token. */
async function readerOf(
  { tokenOf, renewToken }: WorkspaceOptions,
  repository: RepositoryRef,
  directory: string,
): Promise<ByteReader> {
  let token = await tokenOf(repository);
  return async (argv, more) => {
    try {
      return await readGit({ directory, argv, token, ...more });
    } catch (error) {
      if (!(error instanceof GitDeniedError)) throw error;
    }
    renewToken(repository);
    token = await tokenOf(repository);
    return readGit({ directory, argv, token, ...more });
  };
}

function asText(read: ByteReader): Reader {
  return async (argv, more) => textOfOutput(await read(argv, more));
}

/** Fetches one commit with its history under a ref of its own, which keeps it from being collected. */
async function fetchCommit(
  read: Reader,
  gitUrl: string,
  { directory, sha }: { readonly directory: string; readonly sha: string },
): Promise<void> {
  await settle(read, gitUrl, directory);
  await read([
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    `--filter=blob:limit=${MAX_BYTES}`,
    'origin',
    `+${sha}:${KEPT}/${sha}`,
  ]);
}

/** Makes a clone that fetches large files when they are read, unless it is one already. The address is written last: where it stands, so does the rest. */
async function settle(read: Reader, gitUrl: string, directory: string): Promise<void> {
  const written = await readFile(join(directory, 'config'), 'utf8').catch(() => '');
  if (written.includes(`url = ${gitUrl}\n`)) return;
  await read(['init', '--bare', '--quiet', directory]);
  const settings = {
    'remote.origin.promisor': 'true',
    'remote.origin.partialCloneFilter': `blob:limit=${MAX_BYTES}`,
    'remote.origin.url': gitUrl,
  };
  for (const [name, value] of Object.entries(settings)) await read(['config', name, value]);
}

const row = z.tuple([z.string(), z.enum(['blob', 'commit', 'tree']), z.string(), z.string()]);

/** Reads `<mode> <type> <object> <size>\t<path>`, NUL between entries. */
function entriesOf(output: string): readonly Entry[] {
  return output
    .split('\0')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const tab = line.indexOf('\t');
      const [mode, type, id, size] = row.parse(line.slice(0, tab).split(/ +/));
      return type === 'tree'
        ? []
        : [{ path: line.slice(tab + 1), mode, type, id, sizeBytes: size === '-' ? 0 : Number(size) }];
    });
}
