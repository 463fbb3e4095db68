import { lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
