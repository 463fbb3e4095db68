/** What an object holds is read once, on a real repository. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRepository, type Repository, runGit } from '../../src/trees/repository.ts';

let root: string;
let repository: Repository;
let first: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'remembered-'));
  await runGit(['init', '--quiet', '--initial-branch=main'], root, {});
  first = await commit('one');
  repository = await openRepository(root, join(root, 'scratch'));
});
afterEach(() => rm(root, { recursive: true }));

async function commit(text: string): Promise<string> {
  await writeFile(join(root, 'file.txt'), text);
  await runGit(['add', 'file.txt'], root, {});
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  await runGit([...person, 'commit', '--quiet', '-m', text], root, {});
  return String(await runGit(['rev-parse', 'HEAD'], root, {})).trim();
}

const read = async (what: string) => String(await repository.git(['show', what]));

test('is told again without git, and as it was, whatever was done with what was told', async () => {
  const told = await repository.git(['show', `${first}:file.txt`]);
  told.fill('x');
  await rename(repository.gitDirectory, `${repository.gitDirectory}.gone`);
  expect(await read(`${first}:file.txt`)).toBe('one');
  await expect(read(`${first}:other.txt`)).rejects.toThrow('git show failed');
});

test('what has a name that may mean another object later is read each time', async () => {
  expect(await read('refs/heads/main:file.txt')).toBe('one');
  const second = await commit('two');
  await repository.git(['fetch', '--quiet', root, `+${second}:refs/heads/main`]);
  expect(await read('refs/heads/main:file.txt')).toBe('two');
});

test('what was not there is found once it is there', async () => {
  const second = await commit('two');
  await expect(read(`${second}:file.txt`)).rejects.toThrow('git show failed');
  await repository.git(['fetch', '--quiet', root, second]);
  expect(await read(`${second}:file.txt`)).toBe('two');
});
