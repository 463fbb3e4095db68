/** What generated code can use up of the machine from inside the sandbox, with limits that a test passes quickly. */
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultLimits, type Limits } from '../../src/confinement/limits.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';

const MIB = 1024 ** 2;
const SMALL: Limits = { memoryBytes: 256 * MIB, processes: 40, diskBytes: 50 * MIB, files: 5000 };

let root: string;
let workspace: string;
let scratch: string;

beforeEach(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'sandbox-limits-')));
  workspace = join(root, 'workspace');
  scratch = join(root, 'scratch');
  await mkdir(workspace);
});
afterEach(() => rm(root, { recursive: true, force: true }));

function opened(limits: Partial<Limits> = {}): Promise<Sandbox> {
  return openSandbox({ workspace, readOnly: [], scripted: false, scratch, limits: { ...SMALL, ...limits } });
}

async function python(sandbox: Sandbox, script: string, directory = workspace) {
  return sandbox.run({ argv: ['python3', '-c', script], directory, timeoutMs: 30_000, outputBytes: 100_000 });
}

const HOLD = 'import time; time.sleep(20)';

describe('a command that takes too much', () => {
  it.each([
    ['one process at once', 'held = bytearray(1 << 30)', /MemoryError/],
    [
      'one process little by little',
      `held = []\nfor _ in range(40): held.append(b'x' * (10 << 20)); time.sleep(0.02)`,
      /more than 256 MiB of memory/,
    ],
    [
      'many processes',
      `import os\nfor _ in range(6): os.fork() or (bytearray(b'x') * (60 << 20), time.sleep(20))`,
      /more than 256 MiB of memory/,
    ],
    [
      'memory files',
      `import os\nfd = os.memfd_create('a')\nfor _ in range(400): os.write(fd, b'x' * (1 << 20))`,
      /memory/,
    ],
    [
      'shared memory',
      `import mmap\nheld = mmap.mmap(-1, 1 << 30)\nfor at in range(0, 1 << 30, 4096): held[at] = 1`,
      /memory/,
    ],
  ])('does not get the memory of %s', async (_, script, sentence) => {
    const result = await python(await opened(), `import time\n${script}\ntime.sleep(20)`);
    expect(result.stderr).toMatch(sentence);
    expect(result.durationMs).toBeLessThan(15_000);
  });

  it('does not get more processes and threads', async () => {
    const script = `import os, time\nfor _ in range(300):\n  try:\n    if os.fork() == 0: time.sleep(20); os._exit(0)\n  except OSError: pass\ntime.sleep(20)`;
    const result = await python(await opened(), script);
    expect(result).toMatchObject({ exitCode: undefined, signal: 'SIGKILL', timedOut: false });
    expect(result.stderr).toContain('The command was ended: it had more than 40 processes and threads.');
  });

  it.each([
    ['large files', `for n in range(20):\n  open(str(n), 'wb').write(b'x' * (20 << 20))`, '50 MiB to the working copy'],
    [
      'a file that has no name any more',
      `import os\nf = open('gone', 'wb'); os.unlink('gone')\nfor n in range(20): f.write(b'x' * (20 << 20)); f.flush()`,
      '50 MiB to the working copy',
    ],
    [
      'a folder that cannot be looked into',
      `import os\nos.mkdir('dark')\nfor n in range(20): open(f'dark/{n}', 'wb').write(b'x' * (20 << 20))\nos.chmod('dark', 0)`,
      '50 MiB to the working copy',
    ],
    ['small files', `for n in range(60000): open(str(n), 'w').close()`, '5000 files and folders'],
    ['small files in /tmp', `for n in range(60000): open(f'/tmp/{n}', 'w').close()`, '5000 files and folders'],
  ])('does not get the disk for %s', async (_, script, sentence) => {
    const result = await python(await opened(), `${script}\n${HOLD}`);
    expect(result.stderr).toContain(`The command was ended: commands added more than ${sentence}.`);
    expect(result.signal).toBe('SIGKILL');
    expect(result.durationMs).toBeLessThan(15_000);
  });

  it('is told so also where it ended before anybody looked, and where many commands did it little by little', async () => {
    const sandbox = await opened();
    const toldAfter = async (part: number): Promise<boolean> => {
      const { stderr } = await python(sandbox, `open('part-${part}', 'wb').write(b'x' * (20 << 20))`);
      return stderr.includes('50 MiB');
    };
    expect([await toldAfter(1), await toldAfter(2)]).toEqual([false, false]);
    const startedMs = performance.now();
    let isTold = false;
    // What others give free on the same disk hides it, but not from the walk that is made every five seconds.
    for (let part = 3; !isTold && performance.now() - startedMs < 15_000; part += 1) isTold = await toldAfter(part);
    expect(isTold).toBe(true);
    expect(await toldAfter(0), 'as long as it is there').toBe(true);
  });
});

describe('a command that takes what it may', () => {
  it('goes on, in a working copy that is larger than what may be added', async () => {
    for (let n = 0; n < 8; n += 1) await writeFile(join(workspace, `base-${n}`), Buffer.alloc(10 * MIB, 1));
    const sandbox = await opened();
    const result = await python(sandbox, `open('more', 'wb').write(b'x' * (20 << 20)); print('done')`);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
    const copy = join(treesDirectory(scratch), 'copy');
    await mkdir(copy);
    for (const name of await readdir(workspace)) await writeFile(join(copy, name), Buffer.alloc(10 * MIB, 1));
    expect(await python(sandbox, `open('other', 'w').write('x'); print('done')`, copy)).toMatchObject({
      stdout: 'done\n',
    });
  });

  it('has room for a large Node with workers', async () => {
    const script = `const { Worker } = require('node:worker_threads');
      for (let n = 0; n < 4; n += 1) new Worker('const held = []; for (let n = 0; n < 100; n += 1) held.push(new Array(1e5).fill(n))', { eval: true });
      const held = Buffer.alloc(600e6, 1); console.log(held.length)`;
    const sandbox = await opened(defaultLimits());
    const result = await sandbox.run({
      argv: ['node', '-e', script],
      directory: workspace,
      timeoutMs: 60_000,
      outputBytes: 10_000,
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: '600000000\n' });
  });
});

describe('the sandbox says of itself', () => {
  it('which limits it sets, and which the machine does not have', async () => {
    const { limits, missing } = await opened();
    expect(limits).toEqual([
      'The processes of a command use at most 256 MiB of memory together.',
      'A command has at most 40 processes and threads.',
      'Commands add at most 50 MiB and 5000 files to a working copy; a file has at most 1 GiB.',
    ]);
    expect(missing.join(' ')).not.toContain('System calls');
  });
});
