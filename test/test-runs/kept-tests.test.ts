/** Tests stay for the files that come after as they were before, on a real folder. */
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KeptTests, keepTests } from '../../src/test-runs/kept-tests.ts';

let directory: string;
let tests: KeptTests;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kept-tests-'));
  await mkdir(join(directory, 'tests', 'data'), { recursive: true });
  await put('tests/one.test.js', 'one');
  await put('tests/helper.js', 'help');
  await put('tests/data/in.json', '{}');
  await symlink('../lib', join(directory, 'tests', 'link'));
  tests = await keepTests(directory, 'jest');
});
afterEach(() => rm(directory, { recursive: true }));

const put = (path: string, text: string) => writeFile(join(directory, path), text);

test('a link among them is no touch', async () => {
  expect(await tests.areUntouched()).toBe(true);
});

test('data that a test writes beside itself is no touch', async () => {
  await put('tests/data/in.json', '{"a":1}');
  await put('tests/out.txt', 'x');
  expect(await tests.areUntouched()).toBe(true);
});

test.each([
  ['a test that is written anew', 'tests/one.test.js', 'one'],
  ['a helper that is changed', 'tests/helper.js', 'other'],
  ['code that is new', 'tests/helper.ts', 'x'],
  ['a snapshot that is written', 'tests/one.test.js.snap', 'x'],
])('%s is one', async (_, path, text) => {
  await put(path, text);
  expect(await tests.areUntouched()).toBe(false);
});

test('what was there is there again, links too, and what is new is gone', async () => {
  await put('tests/one.test.js', 'hollow');
  await put('tests/data/in.json', '[]');
  await put('tests/new.js', 'x');
  await rm(join(directory, 'tests', 'link'));
  await symlink('/etc', join(directory, 'tests', 'link'));
  await tests.restore();
  expect(await readFile(join(directory, 'tests/one.test.js'), 'utf8')).toBe('one');
  expect(await readFile(join(directory, 'tests/data/in.json'), 'utf8')).toBe('{}');
  expect(await readlink(join(directory, 'tests/link'))).toBe('../lib');
  await expect(lstat(join(directory, 'tests/new.js'))).rejects.toThrow('ENOENT');
});
