/** Git is started by a small process of ours: what comes back, and what does not happen when either of the two ends. */
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runGit } from '../../src/git-process/run-git.ts';

const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const mostBytes = 1024 * 1024;
/** A git command that runs what a shell is told. */
const shell = (script: string): readonly string[] => ['-c', `alias.run=!${script}`, 'run'];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-git-'));
  await runGit({ argv: ['init', '--bare', '--quiet', directory], env, mostBytes });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const inDirectory = (...argv: readonly string[]) => ['--git-dir', directory, ...argv];
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('a git command', () => {
  it('gets its input and gives its output byte for byte', async () => {
    const input = Buffer.from([0xef, 0xbb, 0xbf, 0, 255, 10, 10]);
    const written = await runGit({ argv: inDirectory('hash-object', '-w', '--stdin'), env, input, mostBytes });
    const read = await runGit({ argv: inDirectory('cat-file', 'blob', text(written.stdout).trim()), env, mostBytes });
    expect(Buffer.from(read.stdout)).toEqual(input);
  });

  it('that fails tells its exit code and what it complained of', async () => {
    const { exitCode, stderr } = await runGit({ argv: inDirectory('cat-file', '-e', 'nothing'), env, mostBytes });
    expect([exitCode, stderr]).toEqual([128, 'fatal: Not a valid object name nothing\n']);
  });

  it('sees no environment but its own', async () => {
    process.env.SECRET_OF_THE_APP = 'sesame';
    const { stdout } = await runGit({ argv: shell('env'), env: { ...env, ITS_OWN: 'yes' }, mostBytes });
    delete process.env.SECRET_OF_THE_APP;
    expect(text(stdout)).toContain('ITS_OWN=yes');
    expect(text(stdout)).not.toContain('sesame');
  });

  it.each([
    ['runs longer than it may', { argv: shell('sleep 60'), timeoutMs: 200, mostBytes }, /took longer than 200 ms/],
    ['says more than it may', { argv: shell('yes'), mostBytes: 1000 }, /maxBuffer/i],
    ['cannot be found', { argv: ['version'], env: { PATH: '/nowhere' }, mostBytes }, /ENOENT/],
  ])('that %s has no exit code, and says why', async (_, run, why) => {
    const { exitCode, problem } = await runGit({ env, ...run });
    expect(exitCode).toBeUndefined();
    expect(problem).toMatch(why);
  });

  it('does not wait for others', async () => {
    const slow = runGit({ argv: shell('sleep 60'), env, mostBytes, timeoutMs: 500 });
    const quick = runGit({ argv: ['version'], env, mostBytes });
    expect(await Promise.race([slow, quick])).toMatchObject({ exitCode: 0 });
    await slow;
  });
});

describe('the process that starts git', () => {
  it('fails what it was asked when it is killed, and is there again for what comes next', async () => {
    const starter = runGit({ argv: shell('echo $PPID; kill -9 $(ps -o ppid= $PPID)'), env, mostBytes });
    await expect(starter).rejects.toThrow('the process that starts git ended (SIGKILL)');
    expect(await runGit({ argv: ['version'], env, mostBytes })).toMatchObject({ exitCode: 0 });
  });

  it('keeps nobody from ending, and ends with whoever started it', async () => {
    const script = `
      const { runGit } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/git-process/run-git.ts'))});
      const { stdout } = await runGit({ argv: ['-c', 'alias.run=!ps -o ppid= $PPID', 'run'], env: { PATH: process.env.PATH }, mostBytes: 100 });
      console.log(Buffer.from(stdout).toString().trim());`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 });
    await expect.poll(() => readlink(`/proc/${stdout}/exe`).catch(() => 'ended'), { timeout: 5000 }).toBe('ended');
  });
});
