/** What the workspace changed, on real git repositories. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyChanges, changesOf, diffOf, presentFiles, restorePaths } from '../../src/jobs/workspace/changes.ts';
import { layTree, openRepository, type Repository } from '../../src/trees/repository.ts';

let root: string;
let workspace: string;
let repository: Repository;
let commit: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: workspace })
    .toString()
    .trim();
const put = async (path: string, text: string) => {
  await mkdir(join(workspace, path, '..'), { recursive: true });
  await writeFile(join(workspace, path), text);
};
const changes = () => changesOf(repository, commit, 1000);
const text = (content: string | null | undefined) => Buffer.from(content ?? '', 'base64').toString();

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-changes-'));
  workspace = join(root, 'workspace');
  await mkdir(workspace);
  git('init', '-q');
  await put('.gitignore', 'ignored/\n');
  await put('src/a.txt', 'one\n');
  await put('src/b.txt', 'two\n');
  await put('run.sh', '#!/bin/sh\n');
  await put('.loopwright/1/spec.md', 'spec\n');
  await symlink('src/a.txt', join(workspace, 'link'));
  git('add', '-A');
  git('commit', '-qm', 'start');
  commit = git('rev-parse', 'HEAD');
  repository = await openRepository(workspace, join(root, 'scratch'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('an untouched workspace has no changes', async () => {
  expect(await changes()).toEqual({ changes: [], refused: [] });
});

test('new, changed, deleted and newly executable files are changes; ignored ones, by-products and .loopwright are not', async () => {
  await put('src/new.txt', 'three\n');
  await put('src/a.txt', 'ONE\n');
  await rm(join(workspace, 'src/b.txt'));
  await chmod(join(workspace, 'run.sh'), 0o755);
  await put('ignored/x', 'x');
  await put('pkg/__pycache__/m.pyc', 'x');
  await put('.loopwright/1/spec.md', 'forged\n');
  await put('.loopwright/2/spec.md', 'forged\n');
  const found = await changes();
  expect(found.refused).toEqual([]);
  expect(found.changes.map(({ path, mode, content }) => [path, mode, content === null ? null : text(content)])).toEqual(
    [
      ['run.sh', '100755', '#!/bin/sh\n'],
      ['src/a.txt', '100644', 'ONE\n'],
      ['src/b.txt', '100644', null],
      ['src/new.txt', '100644', 'three\n'],
    ],
  );
});

test('applying the changes to a fresh checkout gives the same changes again', async () => {
  await put('src/new.txt', 'three\n');
  await put('src/b.txt', '\u0000binary');
  await rm(join(workspace, 'src/a.txt'));
  const first = await changes();
  git('checkout', '-q', '-f', 'HEAD');
  git('clean', '-qfd');
  await applyChanges(workspace, first.changes);
  expect(await changes()).toEqual(first);
});

test('what the builder staged or committed itself is still a change', async () => {
  await put('src/staged.txt', 'x');
  git('add', '-A');
  await put('src/committed.txt', 'x');
  git('add', '-A');
  git('commit', '-qm', 'mine');
  expect((await changes()).changes.map(({ path }) => path)).toEqual(['src/committed.txt', 'src/staged.txt']);
});

test('links, changed links, submodules, special and large files are refused, never included', async () => {
  await symlink('/etc/passwd', join(workspace, 'planted'));
  await rm(join(workspace, 'link'));
  await symlink('/etc/passwd', join(workspace, 'link'));
  execFileSync('git', ['init', '-q', 'module'], { cwd: workspace });
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  await rm(join(workspace, 'src/b.txt'));
  execFileSync('mkfifo', [join(workspace, 'src/b.txt')]);
  await put('large.txt', 'x'.repeat(1001));
  const found = await changes();
  expect(found.changes).toEqual([]);
  expect(Object.fromEntries(found.refused.map(({ file, message }) => [file, message]))).toMatchObject({
    planted: expect.stringContaining('`planted` is a symbolic link'),
    link: expect.stringContaining('symbolic link of the repository'),
    module: expect.stringContaining('a git repository of its own'),
    'src/b.txt': expect.stringContaining('not a regular file'),
    'large.txt': expect.stringContaining('1001 bytes; at most 1000'),
  });
  expect(found.refused.every(({ rule, severity }) => rule === 'path-policy' && severity === 'blocker')).toBe(true);
});

test('a folder that became a link to the outside is neither read nor written through', async () => {
  await mkdir(join(root, 'outside'));
  await writeFile(join(root, 'outside/a.txt'), 'secret');
  await rm(join(workspace, 'src'), { recursive: true });
  await symlink(join(root, 'outside'), join(workspace, 'src'));
  const found = await changes();
  expect(JSON.stringify(found)).not.toContain(Buffer.from('secret').toString('base64'));
  expect(found.refused.map(({ file }) => file)).toContain('src/a.txt');
  await expect(applyChanges(workspace, [{ path: 'src/a.txt', mode: '100644', content: '' }])).rejects.toThrow(
    '`src` is a symbolic link',
  );
  expect(await readFile(join(root, 'outside/a.txt'), 'utf8')).toBe('secret');
});

test('hooks, filters and settings that a builder puts into .git are not used', async () => {
  const canary = join(root, 'canary');
  git('config', 'core.fsmonitor', `touch ${canary}`);
  git('config', 'filter.evil.clean', `touch ${canary}; cat`);
  git('config', 'diff.evil.textconv', `touch ${canary}; cat`);
  await put('.git/info/attributes', '* filter=evil diff=evil\n');
  await put('src/a.txt', 'ONE\n');
  const found = await changes();
  expect(await diffOf(repository, commit, found.changes)).toContain('+ONE');
  await expect(readFile(canary)).rejects.toThrow('ENOENT');
});

test('the diff shows changed, new and deleted files with their paths', async () => {
  await put('src/a.txt', 'ONE\n');
  await put('src/new.txt', 'three\n');
  await rm(join(workspace, 'src/b.txt'));
  const diff = await diffOf(repository, commit, (await changes()).changes);
  expect(diff).toContain('--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n');
  expect(diff).toContain('--- /dev/null\n+++ b/src/new.txt\n');
  expect(diff).toContain('--- a/src/b.txt\n+++ /dev/null\n');
});

test('paths are set back to the commit, links and folders included', async () => {
  await put('src/a.txt', 'ONE\n');
  await put('new/x.txt', 'x');
  await rm(join(workspace, 'src/b.txt'));
  await restorePaths(repository, commit, ['src/a.txt', 'src/b.txt', 'new']);
  expect(await changes()).toEqual({ changes: [], refused: [] });
});

test('present files are those on disk that are not ignored', async () => {
  await put('new.txt', 'x');
  await put('ignored/x', 'x');
  await rm(join(workspace, 'src/a.txt'));
  expect(await presentFiles(repository, commit)).toEqual([
    '.gitignore',
    '.loopwright/1/spec.md',
    'link',
    'new.txt',
    'run.sh',
    'src/b.txt',
  ]);
});

test('a commit is laid out as files in an empty folder', async () => {
  await put('src/a.txt', 'later\n');
  await layTree(repository, commit, join(root, 'base'));
  expect(await readFile(join(root, 'base/src/a.txt'), 'utf8')).toBe('one\n');
});
