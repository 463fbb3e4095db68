/** A squash merge that kill -9 cuts: the branch moved, and the pull request did not know of it yet. */
import { existsSync } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Processes, startProcesses } from './processes.ts';

const created = z.looseObject({ number: z.int() });
const ref = z.looseObject({ object: z.looseObject({ sha: z.string() }) });
const pullState = z.looseObject({ merged: z.boolean(), state: z.string(), merge_commit_sha: z.string().nullable() });

let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.close());

const mainNow = async () => ref.parse(await processes.as('GET', '/git/ref/heads/main')).object.sha;

/** Holds git up after it has moved a ref, before it says so. */
async function holdRefs(): Promise<string> {
  const owner = join(processes.directory, 'github', 'git', 'acme');
  const [name = ''] = await readdir(owner);
  const hook = join(owner, name, 'hooks', 'reference-transaction');
  const held = join(processes.directory, 'held');
  await writeFile(hook, `#!/bin/sh\nif [ "$1" = committed ]; then : > '${held}'; sleep 3; fi\n`);
  await chmod(hook, 0o755);
  return held;
}

test('it is merged once the server is there again, and cannot be merged a second time', async () => {
  const before = await mainNow();
  await processes.as('POST', '/git/refs', { ref: 'refs/heads/tea', sha: before });
  const file = { message: 'Serve tea', content: Buffer.from('tea\n').toString('base64'), branch: 'tea' };
  await processes.as('PUT', '/contents/tea.txt', file);
  const { number } = created.parse(await processes.as('POST', '/pulls', { title: 'Tea', head: 'tea', base: 'main' }));
  const held = await holdRefs();
  const cut = expect(processes.as('PUT', `/pulls/${number}/merge`, { merge_method: 'squash' })).rejects.toThrow();
  while (!existsSync(held)) await sleep(20);
  await processes.kill('github');
  await cut;
  await processes.startGitHub();
  const after = await mainNow();
  expect(after).not.toBe(before);
  const pull = pullState.parse(await processes.as('GET', `/pulls/${number}`));
  expect(pull).toMatchObject({ merged: true, state: 'closed', merge_commit_sha: after });
  const again = processes.as('PUT', `/pulls/${number}/merge`, { merge_method: 'squash' });
  await expect(again).rejects.toThrow('405');
  expect(await mainNow()).toBe(after);
});
