/** Files of a size that GitHub takes, and of one that it does not; it takes seconds to write them. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneOf, git, type Stage, startStage } from '../local/server.ts';

let stage: Stage;
let clone: string;
beforeAll(async () => {
  stage = await startStage();
  clone = await cloneOf(stage, 'pushing');
});
afterAll(() => stage.close());

const push = (...argv: readonly string[]) => git(clone, ['push', 'origin', ...argv], false);

// https://docs.github.com/repositories/working-with-files/managing-large-files/about-large-files-on-github
test('a file above 100 MB is refused by name, one of 100 MB is taken', async () => {
  const commit = async (name: string, bytes: number) => {
    writeFileSync(join(clone, name), '');
    truncateSync(join(clone, name), bytes);
    await git(clone, ['add', name]);
    await git(clone, ['commit', '--quiet', '--message', name]);
  };
  await commit('large.bin', 100 * 1024 * 1024);
  expect((await push('HEAD:refs/heads/large')).exitCode).toBe(0);
  await commit('huge.bin', 100 * 1024 * 1024 + 1);
  const { exitCode, all } = await push('HEAD:refs/heads/huge');
  expect(exitCode).toBe(1);
  expect(all).toContain("File huge.bin is 100.00 MB; this exceeds GitHub's file size limit of 100.00 MB");
  expect(all).toContain('GH001: Large files detected.');
});
