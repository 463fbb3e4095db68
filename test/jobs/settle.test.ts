/** What is set back before anything is measured, on a real repository. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOfTests } from '../../src/guard/test-digest.ts';
import { attemptDefects } from '../../src/jobs/build/attempts.ts';
import { onCopy, settle, writeRefusalOf } from '../../src/jobs/build/settle.ts';
import { createRawStore } from '../../src/jobs/report/raw.ts';
import type { Bench } from '../../src/jobs/workspace/environment.ts';
import type { Brief, FrozenTests } from '../../src/loop/brief.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { openRepository } from '../../src/trees/repository.ts';
import { briefFor, type Checkout, checkout, DESIGN, FROZEN_FILE, FROZEN_TEXT, GOOD, PRODUCT } from './build-fixture.ts';

const TESTS: FrozenTests = { ...DESIGN, digest: digestOfTests(DESIGN.files) };
let place: Checkout;
let bench: Bench;
beforeEach(async () => {
  place = await checkout();
  bench = await benchFor();
});
afterEach(() => place.remove());

async function benchFor(changes: Partial<Brief> = {}): Promise<Bench> {
  const { root, workspace } = place;
  const scratch = join(root, 'scratch');
  const repository = await openRepository(workspace, scratch);
  const never = () => Promise.reject(new Error('settling asks no model'));
  return {
    brief: briefFor(place, changes),
    repository,
    attempts: new Map(),
    packages: new Map(),
    environment: {
      workspace,
      scratch,
      output: join(root, 'output'),
      input: undefined,
      sandbox: await openSandbox({ workspace, readOnly: [], scripted: true, scratch }),
      model: { answer: never, turn: never },
      raw: createRawStore(join(root, 'output')),
      bundle: '',
      parsers: () => Promise.reject(new Error('BUILD reads no code')),
      flakinessRuns: 1,
      log: () => undefined,
      now: Date.now,
    },
  };
}
const put = async (path: string, text: string) => {
  const file = join(place.workspace, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
const read = (path: string) => readFile(join(place.workspace, path), 'utf8');

test('a changed file that no task names is set back, told as major, and not proposed', async () => {
  await put('src/greet.js', GOOD);
  await put('src/server.js', 'process.exit(1);\n');
  const { changes, refused, unplanned } = await settle(bench, TESTS);
  expect(changes.map(({ path }) => path)).toEqual(['src/greet.js', FROZEN_FILE]);
  expect(refused).toEqual([]);
  expect(unplanned).toMatchObject([{ file: 'src/server.js', severity: 'major', rule: 'unplanned-file' }]);
  expect(await read('src/server.js')).toContain('createServer');
});

test('new tests of the builder are proposed, changes of existing ones are set back', async () => {
  await put('test/more.test.js', 'more');
  await put('test/greet.test.js', 'hollow');
  const { changes, unplanned } = await settle(bench, TESTS);
  expect(changes.map(({ path }) => path)).toEqual([FROZEN_FILE, 'test/more.test.js']);
  expect(unplanned.map(({ file }) => file)).toEqual(['test/greet.test.js']);
  expect(await read('test/greet.test.js')).toContain("test('greets'");
});

test('a lock file is proposed only when a task names it', async () => {
  await put('package-lock.json', '{}');
  expect((await settle(bench, TESTS)).refused.map(({ file }) => file)).toEqual(['package-lock.json']);
  const tasks = bench.brief.tasks.map((task) => ({ ...task, files: ['package-lock.json'] }));
  bench = await benchFor({ tasks });
  await put('package-lock.json', '{}');
  const { changes, refused } = await settle(bench, TESTS);
  expect(refused).toEqual([]);
  expect(changes.map(({ path }) => path)).toEqual(['package-lock.json', FROZEN_FILE]);
});

test('a folder of frozen tests that became a link or a file is put back as it was', async () => {
  await settle(bench, TESTS);
  await rm(join(place.workspace, 'test'), { recursive: true });
  await symlink('/tmp', join(place.workspace, 'test'));
  expect((await settle(bench, TESTS)).changes.map(({ path }) => path)).toEqual([FROZEN_FILE]);
  expect(await read(FROZEN_FILE)).toBe(FROZEN_TEXT);
  expect(await read('test/greet.test.js')).toContain("test('greets'");
});

test('a frozen test that is changed after it was laid is remembered for people, and one that is not is not', async () => {
  await put(FROZEN_FILE, FROZEN_TEXT);
  await settle(bench, TESTS);
  expect(attemptDefects(bench)).toEqual([]);
  await put(FROZEN_FILE, 'hollow');
  await settle(bench, TESTS);
  expect(attemptDefects(bench)).toMatchObject([
    { rule: 'frozen-test', file: FROZEN_FILE, severity: 'minor', message: expect.stringContaining('was put back') },
  ]);
});

test('a frozen test that became a folder is put back as it was', async () => {
  await settle(bench, TESTS);
  await rm(join(place.workspace, FROZEN_FILE));
  await put(`${FROZEN_FILE}/mine.js`, '');
  const { changes, refused } = await settle(bench, TESTS);
  expect([changes.map(({ path }) => path), refused]).toEqual([[FROZEN_FILE], []]);
  expect(await read(FROZEN_FILE)).toBe(FROZEN_TEXT);
});

test('a source folder that became a link is set back with all its files', async () => {
  await rm(join(place.workspace, 'src'), { recursive: true });
  await symlink('/etc', join(place.workspace, 'src'));
  const { changes, refused } = await settle(bench, TESTS);
  expect(changes.map(({ path }) => path)).toEqual([FROZEN_FILE]);
  expect(refused.map(({ file }) => file)).toContain('src');
  expect(await read('src/greet.js')).toBe(PRODUCT);
});

test('a change with too many bytes is proposed not even in part', async () => {
  bench = await benchFor({ policy: { protectedPaths: [], maxFiles: 50, maxBytes: 500 } });
  await put('src/greet.js', 'x'.repeat(400));
  const { changes, refused } = await settle(bench, TESTS);
  expect(changes).toEqual([]);
  expect(refused[0]?.message).toMatch(/at most 500 are accepted/);
});

test('the tool for writing gives the reason for every kind of path', async () => {
  const refusal = writeRefusalOf(bench.brief, TESTS, new Set(['test/greet.test.js', 'src/server.js', 'src/greet.js']));
  expect(refusal('src/greet.js')).toBeUndefined();
  expect(refusal('test/new.test.js')).toBeUndefined();
  expect(refusal(FROZEN_FILE)).toBe('it is a frozen test, which nobody may change');
  expect(refusal('test/greet.test.js')).toBe('it is an existing test; new tests go into new files');
  expect(refusal('src/server.js')).toBe("no task names it; the tasks' files are src/greet.js");
  expect(refusal('deploy/x')).toContain('deploy/**');
  expect(refusal('.github/test/x.test.js')).toContain('.git*');
});

test('what runs on a copy leaves nothing in the workspace, and the copy has no .git', async () => {
  const seen = await onCopy(bench, async (copy) => {
    await writeFile(join(copy, 'src/greet.js'), 'spoilt');
    return readFile(join(copy, '.git/HEAD')).catch(() => 'none');
  });
  expect(seen).toBe('none');
  expect(await read('src/greet.js')).toBe(PRODUCT);
});
