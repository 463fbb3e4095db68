/** What the embedded GitHub asks git once, and what it asks again because the answer may change. */
import { expect, it } from 'vitest';
import type { GitResult } from '../../src/git-process/run-git.ts';
import { createGit } from '../../src/local/git/git.ts';
import { createRemembered } from '../../src/local/git/remembered.ts';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
const said = (text: string, exitCode = 0): GitResult => ({
  exitCode,
  stdout: Buffer.from(text),
  stderr: '',
  problem: '',
});

/** How often git is asked when the same is wanted twice. */
async function askedFor(parameters: readonly string[], answer = said('x')): Promise<number> {
  const remembered = createRemembered();
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return answer;
  };
  for (const _ of [1, 2]) expect(await remembered('/toys.git', parameters, ask)).toEqual(answer);
  return asked;
}

it.each([
  ['a commit', ['log', '--format=%H', '-1', A, '--']],
  ['a range', ['rev-list', '--count', `${A}..${B}`]],
  ['a difference', ['diff', '--numstat', `${A}...${B}`]],
  ['the difference of a path', ['diff', A, B, '--', 'main']],
  ['a path that is called like an option', ['log', '-1', A, '--', '--all']],
  ['a path of a tree', ['ls-tree', '-z', '--long', A, 'src']],
  ['the tree of a commit', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${A}^{tree}`]],
])('%s that is named by its id is asked for once', async (_, parameters) => {
  expect(await askedFor(parameters)).toBe(1);
});

it.each([
  ['a branch', ['log', '-1', 'main', '--']],
  ['a short id', ['rev-parse', '--verify', 'abcdef1']],
  ['a range to a branch', ['rev-list', '--count', `${A}..main`]],
  ['what no ref holds', ['log', '--name-only', A, '--not', '--all', '--', '.github/workflows']],
  ['what some refs hold', ['rev-list', '--count', '--branches=main', A]],
  ['what tags hold', ['log', '--tags', A]],
  ['what a pattern of refs holds', ['rev-list', '--glob=refs/x/*', A]],
  ['what standard input names', ['rev-list', '--stdin', A]],
  ['all refs', ['for-each-ref']],
  ['whether an object is there', ['cat-file', '--batch-check=%(objecttype)']],
  ['a write', ['update-ref', 'refs/heads/x', A, B]],
])('%s is asked for each time', async (_, parameters) => {
  expect(await askedFor(parameters)).toBe(2);
});

it('a failure is not remembered, but that two commits have nothing in common is', async () => {
  expect(await askedFor(['log', '-1', A], said('', 128))).toBe(2);
  expect(await askedFor(['diff', A, B], said('', 1))).toBe(2);
  expect(await askedFor(['merge-base', A, B], said('', 1))).toBe(1);
});

it('two repositories are asked each for itself', async () => {
  const remembered = createRemembered();
  const of = (directory: string) => remembered(directory, ['log', '-1', A], async () => said(directory));
  expect([await of('/one.git'), await of('/two.git')]).toEqual([said('/one.git'), said('/two.git')]);
});

it('a question that is given an input or another environment is no other question that was answered', async () => {
  const asked: string[][] = [];
  const git = createGit('/nowhere.git', async (_, parameters) => {
    asked.push([...parameters]);
    return said('x');
  });
  await git.text(['log', '-1', A]);
  for (const options of [{ input: B }, { environment: { GIT_OBJECT_DIRECTORY: '/elsewhere' } }])
    await expect(git.text(['log', '-1', A], options)).rejects.toThrow('git log failed in /nowhere.git');
  expect(asked).toEqual([['log', '-1', A]]);
});
