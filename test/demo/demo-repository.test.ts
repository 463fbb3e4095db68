import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-demo-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

test('the repository is made once, and nothing lies beside it', async () => {
  const path = await prepareDemoRepository(directory);
  const head = await readFile(join(path, '.git', 'refs', 'heads', 'main'), 'utf8');
  expect(await prepareDemoRepository(directory)).toBe(path);
  expect(await readFile(join(path, '.git', 'refs', 'heads', 'main'), 'utf8')).toBe(head);
  expect(await readdir(directory)).toEqual(['guestbook']);
});

test('a folder of somebody else that has its name is left alone, and named', async () => {
  await mkdir(join(directory, 'guestbook'));
  await writeFile(join(directory, 'guestbook', 'notes.txt'), 'mine');
  await expect(prepareDemoRepository(directory)).rejects.toThrow(`${join(directory, 'guestbook')} is there and no git`);
  expect(await readFile(join(directory, 'guestbook', 'notes.txt'), 'utf8')).toBe('mine');
});
