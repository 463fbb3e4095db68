import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitRefusedError, readGit } from '../../src/adapters/git-reader.ts';
import { createWorkspace } from '../../src/adapters/workspace.ts';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/local/local-github.ts';
import type { Workspace } from '../../src/ports.ts';
import { executeHere } from '../local/workflow-kit.ts';

const REPOSITORY = { installationId: 1, repositoryId: 1, owner: 'acme', repo: 'guestbook' };
let directory: string;
let source: string;
let github: LocalGitHub;
let workspace: Workspace;
let head: string;

const git = async (...argv: string[]) =>
  (
    await execa('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.example', ...argv], {
      cwd: source,
      env: { GIT_CONFIG_GLOBAL: '/dev/null' },
    })
  ).stdout.trim();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-workspace-'));
  source = await prepareDemoRepository(directory);
  head = await git('rev-parse', 'HEAD');
  await mkdir(join(source, '.loopwright', '1'), { recursive: true });
  await writeFile(join(source, '.loopwright', '1', 'spec.md'), '# Spec\n');
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'Propose');
  github = await startLocalGitHub({
    dataDirectory: join(directory, 'github'),
    port: 0,
    imports: [{ source, fullName: 'acme/guestbook' }],
    users: [
      { login: 'maria', role: 'read', token: 'maria-token' },
      { login: 'wout', role: 'write', token: 'wout-token' },
    ],
    executeWorkflow: executeHere,
  });
  workspace = createWorkspace({
    directory: join(directory, 'clones'),
    gitUrlOf: () => `${github.url}/acme/guestbook.git`,
    tokenOf: async () => 'maria-token',
    renewToken: () => undefined,
  });
});
afterAll(async () => {
  await github.close();
  await rm(directory, { recursive: true, force: true });
});

describe('the workspace', () => {
  it('lists and reads the files of a commit without checking anything out', async () => {
    const paths = (await workspace.files(REPOSITORY, head)).map(({ path }) => path);
    expect(paths).toEqual((await git('ls-tree', '-r', '--name-only', head)).split('\n'));
    expect(await workspace.read(REPOSITORY, head, 'data/entries.json')).toContain('Grace');
    expect(await workspace.read(REPOSITORY, head, 'no/such/file')).toBeUndefined();
    expect(await workspace.read(REPOSITORY, head, 'src')).toBeUndefined();
  });

  it('gives the same code tree with and without .loopwright, and another for other code', async () => {
    const proposed = await git('rev-parse', 'HEAD');
    const [base = ''] = (await git('rev-list', '--max-parents=0', 'HEAD')).split('\n');
    expect(await workspace.codeTree(REPOSITORY, head)).toBe(await git('rev-parse', `${head}^{tree}`));
    expect(await workspace.codeTree(REPOSITORY, proposed)).toBe(await workspace.codeTree(REPOSITORY, head));
    expect(await workspace.codeTree(REPOSITORY, base)).not.toBe(await workspace.codeTree(REPOSITORY, head));
  });

  it('reads several commits at the same time', async () => {
    const commits = (await git('rev-list', head)).split('\n');
    const trees = await Promise.all(commits.map((sha) => workspace.codeTree(REPOSITORY, sha)));
    expect(trees).toEqual(await Promise.all(commits.map((sha) => git('rev-parse', `${sha}^{tree}`))));
  });
});

let serial = 0;
/** Pushes a commit with these files on top of another; undefined takes a file away. */
async function commitOn(parent: string, files: Readonly<Record<string, string | undefined>>): Promise<string> {
  serial += 1;
  await git('checkout', '--quiet', '-b', `side-${serial}`, parent);
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) await rm(join(source, path));
    else await writeFile(join(source, path), text, 'latin1');
  }
  await git('add', '--all');
  await git('commit', '--quiet', '-m', `Side ${serial}`);
  await git('push', '--quiet', `${github.url.replace('://', '://x:wout-token@')}/acme/guestbook.git`, 'HEAD');
  return git('rev-parse', 'HEAD');
}

describe('many files at once', () => {
  it('are what each is when it is read alone, without those that are missing, binary or too large', async () => {
    const files = {
      'cafe.txt': 'caf\xe9\n',
      'same.txt': 'the same\r\n',
      'twin.txt': 'the same\r\n',
      'empty.txt': '',
      'mark.txt': '\xef\xbb\xbfmarked',
      'looks like.txt': `${'0'.repeat(40)} blob 3\nabc\n`,
      'binary.bin': 'a\0b',
      'huge.txt': 'x'.repeat(300 * 1024),
      'last.txt': 'last',
    };
    const commit = await commitOn(head, files);
    const paths = [...Object.keys(files), 'data/entries.json', 'no/such/file', 'src'];
    const alone = new Map<string, string>();
    for (const path of paths) {
      const text = await workspace.read(REPOSITORY, commit, path);
      if (text !== undefined) alone.set(path, text);
    }
    expect(await workspace.texts(REPOSITORY, commit, paths)).toEqual(alone);
    expect(paths.filter((path) => !alone.has(path))).toEqual(['binary.bin', 'huge.txt', 'no/such/file', 'src']);
  });

  it('may be none', async () => {
    expect(await workspace.texts(REPOSITORY, head, [])).toEqual(new Map());
  });
});

describe('a merge that nobody checked out', () => {
  const lines = (first: string) => [first, '2', '3', '4', '5', '6', '7', '8'].join('\n');
  const text64 = (text: string) => Buffer.from(text).toString('base64');

  it('is told as what it has other than the base: what the head brought, and files that only the merge made', async () => {
    const origin = await commitOn(head, { 'both.txt': lines('1') });
    const ours = await commitOn(origin, { 'both.txt': `${lines('1')}\nend`, 'mine.txt': 'mine' });
    const theirs = await commitOn(origin, { 'both.txt': lines('one'), 'README.md': 'theirs' });
    expect(await workspace.merge(REPOSITORY, ours, theirs)).toEqual({
      parent: theirs,
      held: [{ path: 'mine.txt', mode: '100644', sha: await git('rev-parse', `${ours}:mine.txt`) }],
      made: [{ path: 'both.txt', mode: '100644', content: text64(`${lines('one')}\nend`) }],
    });
    expect(await workspace.mergeBase(REPOSITORY, ours, theirs)).toBe(origin);
    expect(await workspace.mergeBase(REPOSITORY, theirs, theirs)).toBe(theirs);
  });

  it('takes away what the head took away', async () => {
    const ours = await commitOn(head, { 'README.md': undefined });
    const theirs = await commitOn(head, { 'new.txt': 'new' });
    expect(await workspace.merge(REPOSITORY, ours, theirs)).toEqual({
      parent: theirs,
      held: [{ path: 'README.md', mode: '100644', sha: null }],
      made: [],
    });
  });

  it('names the files in which the two conflict, and those that it could not merge without loss', async () => {
    const origin = await commitOn(head, { 'both.txt': lines('1'), 'latin.txt': lines('caf\xe9') });
    const ours = await commitOn(origin, { 'both.txt': lines('ours') });
    expect(await workspace.merge(REPOSITORY, ours, await commitOn(origin, { 'both.txt': lines('theirs') }))).toEqual({
      conflicts: ['both.txt'],
    });
    const left = await commitOn(origin, { 'latin.txt': `${lines('caf\xe9')}\nend` });
    const right = await commitOn(origin, { 'latin.txt': lines('caf\xe9 noir') });
    expect(await workspace.merge(REPOSITORY, left, right)).toEqual({ conflicts: ['latin.txt'] });
  });
});

describe('what is kept of commits', () => {
  const keptIn = async (clones: string) => {
    const [clone = ''] = await readdir(join(directory, clones));
    return (await readdir(join(directory, clones, clone, 'refs', 'kept')).catch(() => [])).toSorted();
  };
  const age = (clones: string, sha: string, days: number) => {
    const then = new Date(Date.now() - days * 24 * 3600_000);
    return utimes(join(directory, clones, '1.git', 'refs', 'kept', sha), then, then);
  };
  const weekAgo = () => new Date(Date.now() - 7 * 24 * 3600_000).toISOString();

  it('drops commits that were not read for long, fetches one again that is asked for, and removes a clone that is mostly old', async () => {
    const own = createWorkspace({
      directory: join(directory, 'kept'),
      gitUrlOf: () => `${github.url}/acme/guestbook.git`,
      tokenOf: async () => 'maria-token',
      renewToken: () => undefined,
    });
    expect(await own.forget(weekAgo())).toBe(0);
    const shas = [head];
    for (const name of ['a', 'b']) shas.push(await commitOn(head, { [`${name}.txt`]: name }));
    for (const sha of shas) await own.codeTree(REPOSITORY, sha);
    const [old = '', second = '', third = ''] = shas;
    await age('kept', old, 8);
    expect(await own.forget(weekAgo())).toBe(1);
    expect(await keptIn('kept')).toEqual([second, third].toSorted());
    expect(await own.read(REPOSITORY, old, 'README.md')).toBeDefined();
    expect(await keptIn('kept')).toEqual(shas.toSorted());
    await age('kept', second, 8);
    await age('kept', third, 9);
    expect(await own.forget(weekAgo())).toBe(3);
    expect(await readdir(join(directory, 'kept'))).toEqual([]);
    expect(await own.read(REPOSITORY, third, 'b.txt')).toBe('b');
  });

  it('fetches with a new token where the server no longer takes the one it had', async () => {
    let token = 'one that is over';
    const renewed: unknown[] = [];
    const own = createWorkspace({
      directory: join(directory, 'renewing'),
      gitUrlOf: () => `${github.url}/acme/guestbook.git`,
      tokenOf: async () => token,
      renewToken: (repository) => {
        renewed.push(repository);
        token = 'maria-token';
      },
    });
    expect(await own.codeTree(REPOSITORY, head)).toMatch(/^[0-9a-f]{40}$/);
    expect(renewed).toEqual([REPOSITORY]);
  });

  it('says in the words of git that no token is taken', async () => {
    const own = createWorkspace({
      directory: join(directory, 'denied'),
      gitUrlOf: () => `${github.url}/acme/guestbook.git`,
      tokenOf: async () => 'one that is over',
      renewToken: () => undefined,
    });
    await expect(own.codeTree(REPOSITORY, head)).rejects.toThrow(/^git fetch failed: fatal: could not read Username/);
  });

  it('writes the settings of a clone once, and again where the repository has another address', async () => {
    let name = 'guestbook';
    const own = createWorkspace({
      directory: join(directory, 'settled'),
      gitUrlOf: () => `${github.url}/acme/${name}.git`,
      tokenOf: async () => 'maria-token',
      renewToken: () => undefined,
    });
    const settings = join(directory, 'settled', '1.git', 'config');
    const writtenAfter = async (sha: string) => {
      await own.codeTree(REPOSITORY, sha);
      return (await stat(settings, { bigint: true })).mtimeNs;
    };
    const [first, second, third] = [head, await commitOn(head, { c: 'c' }), await commitOn(head, { d: 'd' })];
    const written = await writtenAfter(first);
    expect(await writtenAfter(second)).toBe(written);
    name = 'GuestBook';
    expect(await writtenAfter(third)).not.toBe(written);
    expect(await readFile(settings, 'utf8')).toContain(`url = ${github.url}/acme/GuestBook.git`);
  });

  it('keeps what somebody reads at the moment, however old', async () => {
    let tell = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const opened = Promise.withResolvers<string>();
    const own = createWorkspace({
      directory: join(directory, 'busy'),
      gitUrlOf: () => `${github.url}/acme/guestbook.git`,
      renewToken: () => undefined,
      tokenOf: () => {
        tell();
        return opened.promise;
      },
    });
    const reading = own.codeTree(REPOSITORY, head);
    await asked;
    expect(await own.forget('9999-01-01T00:00:00Z')).toBe(0);
    opened.resolve('maria-token');
    expect(await reading).toMatch(/^[0-9a-f]{40}$/);
    expect(await own.forget('9999-01-01T00:00:00Z')).toBe(1);
  });
});

describe('the door to git', () => {
  it.each([
    [['push', 'origin', 'main']],
    [['send-pack', 'x']],
    [['checkout', 'main']],
    [['receive-pack', '.']],
    [['remote', 'add', 'x', 'y']],
    [['-c', 'alias.x=!true', 'x']],
  ])('stops git %j before it runs', async (argv) => {
    await expect(readGit({ directory: join(directory, 'clones', '1.git'), argv })).rejects.toThrow(GitRefusedError);
  });
});
