import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installedIn } from '../../src/trees/checkout.ts';
import { layWorkingCopy, workingFiles } from '../../src/trees/working-copy.ts';

let root: string;
let shop: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'working-copy-')));
  shop = join(root, 'shop');
  await execa('git', ['init', '--quiet', shop]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('a working copy holds what is committed or new as it stands, links to what is installed, and nothing that git ignores', async () => {
  for (const folder of ['src', 'node_modules/tea', 'packages/cup/node_modules/milk'])
    await mkdir(join(shop, folder), { recursive: true });
  const texts = { 'src/old.js': 'old', 'gone.js': 'gone', '.gitignore': '.env\n', '.env': 'secret' };
  for (const [path, text] of Object.entries(texts)) await writeFile(join(shop, path), text);
  await execa('git', ['add', '.'], { cwd: shop });
  await writeFile(join(shop, 'src/old.js'), 'edited');
  await writeFile(join(shop, 'src/new.js'), 'new one');
  await writeFile(join(shop, 'packages/cup/index.js'), 'cup');
  await writeFile(join(shop, 'node_modules/tea/index.js'), 'tea');
  await writeFile(join(shop, 'packages/cup/node_modules/milk/index.js'), 'milk');
  await symlink('old.js', join(shop, 'src/link.js'));
  await rm(join(shop, 'gone.js'));

  const copy = join(root, 'copy');
  const files = await workingFiles(shop);
  await layWorkingCopy(copy, { root: shop, files, dependencies: await installedIn({ root: shop }) });

  expect(await readFile(join(copy, 'src/old.js'), 'utf8')).toBe('edited');
  expect(await readlink(join(copy, 'src/link.js'))).toBe('old.js');
  expect(await readlink(join(copy, 'node_modules/tea'))).toBe(join(shop, 'node_modules/tea'));
  expect((await readdir(copy)).sort()).toEqual(['.gitignore', 'node_modules', 'packages', 'src']);
  expect(await readdir(join(copy, 'packages/cup'))).toContain('index.js');
  expect(Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))).toEqual({
    '.gitignore': 5,
    'packages/cup/index.js': 3,
    'src/link.js': 0,
    'src/new.js': 7,
    'src/old.js': 6,
  });
});
