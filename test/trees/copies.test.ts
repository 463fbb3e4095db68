import { lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onCopy } from '../../src/trees/copies.ts';

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'copies-'));
  await mkdir(join(scratch, 'trees'));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

test('a copy has links to installed packages, and links of a workspace lead to the products of the copy', async () => {
  const tree = join(scratch, 'head');
  for (const folder of ['node_modules/tea', 'node_modules/@acme/milk', 'node_modules/.cache', 'packages/cup'])
    await mkdir(join(tree, folder), { recursive: true });
  await writeFile(join(tree, 'node_modules/tea/index.js'), 'tea');
  await writeFile(join(tree, 'packages/cup/index.js'), 'cup');
  await symlink('../packages/cup', join(tree, 'node_modules/cup'));
  await onCopy(scratch, tree, async (copy) => {
    expect(await readlink(join(copy, 'node_modules/tea'))).toBe(join(tree, 'node_modules/tea'));
    expect(await readlink(join(copy, 'node_modules/@acme/milk'))).toBe(join(tree, 'node_modules/@acme/milk'));
    expect((await lstat(join(copy, 'node_modules'))).isDirectory()).toBe(true);
    await expect(lstat(join(copy, 'node_modules/.cache'))).rejects.toThrow('ENOENT');
    await writeFile(join(copy, 'packages/cup/index.js'), 'another cup');
    expect(await readFile(join(copy, 'node_modules/cup/index.js'), 'utf8')).toBe('another cup');
  });
  expect(await readFile(join(tree, 'packages/cup/index.js'), 'utf8')).toBe('cup');
});

test.each([
  ['few files', 1],
  ['many files', 300],
])(
  'a copy of %s has each as it is, packages of packages beside it, and links that lead where they led',
  async (_, count) => {
    const tree = join(scratch, 'head');
    for (const folder of ['packages/cup/node_modules/tea', 'packages/cup/src', 'packages/-rf', 'empty', '.hidden'])
      await mkdir(join(tree, folder), { recursive: true });
    await writeFile(join(tree, 'packages/cup/src/run.sh'), 'pour', { mode: 0o755 });
    await writeFile(join(tree, '.hidden/file'), 'kept');
    for (let index = 0; index < count; index += 1) await writeFile(join(tree, `.hidden/file-${index}`), `${index}`);
    const old = new Date('2001-02-03T04:05:06Z');
    await utimes(join(tree, '.hidden/file'), old, old);
    await writeFile(join(tree, 'packages/-rf/file'), 'kept');
    await symlink('/etc/passwd', join(tree, 'packages/cup/src/outside'));
    await symlink('nowhere', join(tree, 'dangling'));
    await onCopy(scratch, tree, async (copy) => {
      expect((await lstat(join(copy, 'packages/cup/src/run.sh'))).mode & 0o777).toBe(0o755);
      expect(await readFile(join(copy, '.hidden/file'), 'utf8')).toBe('kept');
      expect((await lstat(join(copy, '.hidden/file'))).mtime).toEqual(old);
      expect(await readFile(join(copy, `.hidden/file-${count - 1}`), 'utf8')).toBe(`${count - 1}`);
      expect(await readFile(join(copy, 'packages/-rf/file'), 'utf8')).toBe('kept');
      expect(await readlink(join(copy, 'packages/cup/src/outside'))).toBe('/etc/passwd');
      expect(await readlink(join(copy, 'dangling'))).toBe('nowhere');
      expect((await lstat(join(copy, 'empty'))).isDirectory()).toBe(true);
      expect(await readlink(join(copy, 'packages/cup/node_modules/tea'))).toBe(
        join(tree, 'packages/cup/node_modules/tea'),
      );
    });
  },
);

test('what is neither file, folder nor link is copied too', async () => {
  const tree = join(scratch, 'head');
  await mkdir(tree);
  await execa('mkfifo', [join(tree, 'pipe')]);
  await onCopy(scratch, tree, async (copy) => {
    expect((await lstat(join(copy, 'pipe'))).isFIFO()).toBe(true);
  });
});
