/** The planted bugs fit the code as it is: one that no longer does is to be made anew, with the same fault. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const patches = (await readdir(new URL('bugs/', import.meta.url))).filter((file) => file.endsWith('.patch'));

it.each(patches)('%s can be planted', async (patch) => {
  const { stderr } = await execa('git', ['apply', '--check', `test/simulation/bugs/${patch}`], {
    cwd: ROOT,
    reject: false,
  });
  expect(stderr).toBe('');
});
