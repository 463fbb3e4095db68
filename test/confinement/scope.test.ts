import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/confinement/limits.ts';
import { openScope } from '../../src/confinement/scope.ts';
import { missingWalls } from '../../src/confinement/walls.ts';

const GIB = 1024 ** 3;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-scope-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program in the place of systemd's: notes what it is asked, and is the command that it was given, or fails. */
async function systemd(ending: string): Promise<string> {
  const script = `#!/bin/sh\necho "$XDG_RUNTIME_DIR $*" > ${folder}/asked\n${ending}\n`;
  await writeFile(join(folder, 'systemd-run'), script, { mode: 0o755 });
  return `${folder}:/usr/bin:/bin`;
}

const ON = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
const LIMITS = { memoryBytes: GIB, processes: 7, diskBytes: 1, files: 1 };

describe('the control group of a command', () => {
  test('is asked of the own systemd where the user is not root, with both limits and no swap', async () => {
    const scope = await openScope(LIMITS, { path: await systemd(ON), booted: folder, user: 1234 });
    expect(await readFile(join(folder, 'asked'), 'utf8')).toBe(
      `/run/user/1234 --user --scope --quiet --collect -p MemoryMax=${GIB} -p MemorySwapMax=0 -p TasksMax=7 -- true\n`,
    );
    const [program = '', ...argv] = [...(scope?.argv ?? []), 'echo', 'inside'];
    expect(execFileSync(join(folder, program), argv, { encoding: 'utf8' })).toBe('inside\n');
  });

  test("is asked of the machine's systemd by root", async () => {
    const scope = await openScope(LIMITS, { path: await systemd(ON), booted: folder, user: 0 });
    expect(scope).toMatchObject({ environment: {} });
    expect(scope?.argv).not.toContain('--user');
  });

  test('is none where systemd did not start the machine, refuses, or is not installed', async () => {
    const path = await systemd('exit 1');
    expect(await openScope(LIMITS, { path, booted: join(folder, 'nowhere'), user: 0 })).toBeUndefined();
    expect(await openScope(LIMITS, { path, booted: folder, user: 0 })).toBeUndefined();
    expect(await openScope(LIMITS, { path: '/nowhere', booted: folder, user: 0 })).toBeUndefined();
  });
});

test('a command gets 4 GiB, and never more than half of the machine', () => {
  expect([64 * GIB, 2 * GIB].map((bytes) => defaultLimits(bytes).memoryBytes)).toEqual([4 * GIB, GIB]);
});

test('each wall that a machine does not have is said with what stands in for it', () => {
  expect(missingWalls({ filtered: true, scoped: true })).toEqual([]);
  expect(missingWalls({ filtered: false, scoped: false, architecture: 'riscv64' })).toEqual([
    'System calls are not filtered, because their numbers on riscv64 are not known here; set-id files are found after each command.',
    'No control group limits memory and processes, because systemd gives none here; they are looked at five times a second instead.',
  ]);
});
