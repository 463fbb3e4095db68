/** `.ci/run` itself, where apt and npm are programs of this test: what it counts, and what it ends with. */
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** A suite as Vitest ends, anything else without a word. */
const PROGRAM = `#!/usr/bin/env bash
case "$*" in
  test*|'run test:e2e'*|'run test:machine'*|vitest*) printf ' FAIL  none\\n      Tests  2 passed (2)\\n' ;;
esac
`;

/** Runs it with these lines before the program's others. */
async function run(lines: string, { readme = 'sudo apt-get install -y git\n', longest = 1200 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-ci-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const bin = join(directory, 'bin');
  await mkdir(join(directory, '.ci'), { recursive: true });
  await mkdir(bin);
  await copyFile(join(ROOT, '.ci', 'run'), join(directory, '.ci', 'run'));
  await writeFile(join(directory, 'README.md'), readme);
  for (const name of ['apt-get', 'sudo', 'npm', 'npx', 'git', 'env']) {
    const text = name === 'git' ? '#!/usr/bin/env bash\necho 7\n' : PROGRAM.replace('\n', `\n${lines}\n`);
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  const { stdout, exitCode } = await execa('bash', [join(directory, '.ci', 'run')], {
    env: { PATH: `${bin}:/usr/bin:/bin`, LONGEST_CHECK_SECONDS: String(longest) },
    reject: false,
  });
  return { stdout, exitCode, last: stdout.split('\n').at(-1) };
}

/** `npm test`, and six parts of the two long suites; the rest says no number of tests. */
const [SUITES, CHECKS] = [13, 16];

test('all that passes is counted, tests by their number, and the end says so', async () => {
  expect(await run('')).toMatchObject({ last: `${CHECKS + 2 * SUITES} passed, 0 failed`, exitCode: 0 });
});

test('a suite of which one test fails is a failure, named with how it failed', async () => {
  const red = `case "$*" in 'run test:e2e'*'4/6') printf ' FAIL  a sentence\\nError: how\\n      Tests  1 failed | 1 passed (2)\\n'; exit 1 ;; esac`;
  const { stdout, last, exitCode } = await run(red);
  expect(last).toBe(`${CHECKS + 2 * SUITES - 1} passed, 1 failed`);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /What failed:\nnpm run test:e2e .* --shard=4\/6: exit code 1\n FAIL {2}a sentence\nError: how\n/,
  );
});

test.each([
  ['a check that fails without a word', `[ "$*" != 'run alarms' ] || exit 3`, CHECKS + 2 * SUITES - 1],
  ['a suite that ends before it says how many', `case "$*" in test*) exit 137 ;; esac`, CHECKS + 2 * SUITES - 2],
])('%s is one failure', async (_, lines, passed) => {
  expect(await run(lines)).toMatchObject({ last: `${passed} passed, 1 failed`, exitCode: 1 });
});

test('a command that never ends costs its own time only, is a failure, and is named with what it waited for', async () => {
  const hangs = `case "$*" in 'run alarms') printf ' STILL  a sentence (120 s)\\n'; sleep 300 ;; esac`;
  const { stdout, last, exitCode } = await run(hangs, { longest: 3 });
  expect(last).toBe(`${CHECKS + 2 * SUITES - 1} passed, 1 failed`);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/What failed:\nnpm run alarms: exit code 124\n STILL {2}a sentence \(120 s\)\n/);
});

test('what a command leaves running is not waited for', async () => {
  const leaves = `[ "$*" != 'run alarms' ] || setsid sleep 60 &`;
  const { last } = await run(leaves);
  expect(last).toBe(`${CHECKS + 2 * SUITES} passed, 0 failed`);
});

test.each([
  ['packages cannot be installed', `case "$*" in install*) exit 100 ;; esac`, {}],
  ['the README names no packages', '', { readme: 'nothing\n' }],
  ['npm ci fails', `[ "$*" != ci ] || exit 1`, {}],
])('where %s nothing counts', async (_, lines, options) => {
  const { exitCode, stdout } = await run(lines, options);
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain('0 failed');
});
