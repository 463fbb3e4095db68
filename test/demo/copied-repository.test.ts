import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareCopy } from '../../src/demo/copied-repository.ts';
import { gitOfMaria } from '../../src/demo/repository-git.ts';

const CONFIG = '.github/loopwright.yml';
const EDITED = 'version: 1\ncommands:\n  test: make test\n  runner: unittest\n';

let root: string;
let shop: string;
let said: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-copy-'));
  shop = join(root, 'shop');
  said = [];
  await mkdir(join(shop, '.github'), { recursive: true });
  await writeFile(join(shop, 'package.json'), '{}');
  await git(shop).init(['--quiet']);
  await git(shop).add(['.']);
  await git(shop).commit('Start');
});

afterEach(() => rm(root, { recursive: true, force: true }));

const git = (directory: string) => gitOfMaria(directory, 'ana@shop.example');
const copy = () => prepareCopy(shop, join(root, 'data'), (line) => said.push(line));

async function committed(path: string, file: string): Promise<string> {
  return git(path).show([`HEAD:${file}`]);
}

test('a configuration that was edited and not committed is used, and that is said', async () => {
  await writeFile(join(shop, CONFIG), EDITED);
  const { path } = await copy();
  expect(await committed(path, CONFIG)).toBe(EDITED);
  expect(said[0]).toBe(`The copy of shop got ${CONFIG} as you edited it; it is not committed there.`);
  expect(said[1]).toMatch(/^The copy of shop got \.github\/workflows.* as `loopwright init` writes them\.$/);
  expect(said).toHaveLength(2);
});

test('an edit of a committed configuration counts before the commit', async () => {
  await writeFile(join(shop, CONFIG), EDITED.replace('make test', 'npm test'));
  await git(shop).add(['.']);
  await git(shop).commit('Configure');
  await writeFile(join(shop, CONFIG), EDITED);
  const { path } = await copy();
  expect(await committed(path, CONFIG)).toBe(EDITED);
  expect(await readFile(join(shop, CONFIG), 'utf8')).toBe(EDITED);
});

test('what else is not committed is left out, and that is said', async () => {
  await writeFile(join(shop, 'new.js'), 'x');
  const { path } = await copy();
  expect(await readdir(path)).not.toContain('new.js');
  expect(said.at(-1)).toBe(`What else is not committed in ${shop} is not in the copy.`);
  expect(await readdir(join(root, 'data'))).toEqual(['copies']);
});

test('a copy from before is gone on with, and that is said', async () => {
  await copy();
  said = [];
  await copy();
  expect(said).toEqual([`The copy of shop is here from before; what changed in ${shop} since is not in it.`]);
});

test('what is missing is written for the runner that the files show, as `init` does', async () => {
  await writeFile(join(shop, 'package.json'), '{ "scripts": { "test": "lint && jest" } }');
  await git(shop).add(['.']);
  await git(shop).commit('Test');
  const { path } = await copy();
  expect(await committed(path, CONFIG)).toContain('version: 1\ncommands:\n  test: npx jest\n  runner: jest\n');
  expect(said.at(-1)).toBe(
    `What ${CONFIG} says there of the tests is guessed and was not tried; the first build tries the whole suite before a model writes code.`,
  );
});
