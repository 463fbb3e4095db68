/** What generated code tries at the kernel from inside the sandbox, and what of it stays on the host. */
import { chmodSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

let root: string;
let workspace: string;
let sandbox: Sandbox;
const limits = { timeoutMs: 20_000, outputBytes: 100_000 };

function python(script: string) {
  return sandbox.run({ argv: ['python3', '-c', script], directory: workspace, ...limits });
}

beforeAll(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'sandbox-walls-')));
  workspace = join(root, 'workspace');
  await mkdir(workspace);
  sandbox = await openSandbox({ workspace, readOnly: [], scripted: false, scratch: join(root, 'scratch') });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rm(root, { recursive: true, force: true }));

/** Every way that Linux has to make a file that runs with its owner's rights. */
const SET_USER = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, way):
    try: print(name, 'done' if way() in (None, 0) or name.startswith('open') else os.strerror(ctypes.get_errno()))
    except OSError as error: print(name, error.strerror)
def plain(name):
    open(name, 'w').close(); return name
attempt('chmod', lambda: os.chmod(plain('a'), 0o4755))
attempt('chmod group', lambda: os.chmod(plain('b'), 0o2755))
attempt('fchmod', lambda: os.fchmod(os.open(plain('c'), os.O_RDONLY), 0o4755))
attempt('fchmodat', lambda: os.chmod(plain('d'), 0o6755, dir_fd=os.open('.', os.O_RDONLY)))
attempt('fchmodat2', lambda: libc.syscall(452, -100, plain('e').encode(), 0o4755, 0))
attempt('open', lambda: os.open('f', os.O_CREAT | os.O_WRONLY, 0o4755))
attempt('open a temporary', lambda: os.link('/proc/self/fd/%d' % os.open('.', os.O_TMPFILE | os.O_RDWR, 0o4755), 'g', follow_symlinks=True))
attempt('mknod', lambda: os.mknod('h', 0o104755))
attempt('folder', lambda: (os.mkdir('i'), os.chmod('i', 0o2777))[1])
`;

describe('a file with the rights of its owner', () => {
  it('cannot be made in the sandbox by any call, and none is left on the host', async () => {
    const result = await python(SET_USER);
    expect(result.stdout.match(/Operation not permitted/g), result.stdout + result.stderr).toHaveLength(9);
    const left = (await readdir(workspace)).filter((name) => (statSync(join(workspace, name)).mode & 0o6000) !== 0);
    expect(left).toEqual([]);
  });

  it.each([
    ['', undefined],
    [', also where there is no `find`', '/nowhere'],
  ])('loses these rights with the command that ran beside it, whoever made it%s', async (_, path) => {
    if (path !== undefined) vi.stubEnv('PATH', path);
    const place = join(workspace, 'folder', "it's $(odd)\n-name");
    await mkdir(place, { recursive: true });
    writeFileSync(join(place, 'tool'), '');
    chmodSync(join(place, 'tool'), 0o6755);
    await python('pass');
    expect((statSync(join(place, 'tool')).mode & 0o7777).toString(8)).toBe('755');
  });
});

describe('the kernel behind the sandbox', () => {
  it('gives sockets of the families UNIX, INET and INET6, and of NETLINK what lists the own addresses', async () => {
    const script = `import socket
for family, protocol in ((1, 0), (2, 0), (10, 0), (16, 0), (16, 12), (16, 16), (17, 0), (38, 0), (40, 0)):
    try: socket.socket(family, socket.SOCK_DGRAM if family != 38 else socket.SOCK_SEQPACKET, protocol).close(); print(family, protocol, 'open')
    except OSError as error: print(family, protocol, 'refused')`;
    expect((await python(script)).stdout.split('\n')).toEqual([
      '1 0 open',
      '2 0 open',
      '10 0 open',
      '16 0 open',
      '16 12 refused',
      '16 16 refused',
      '17 0 refused',
      '38 0 refused',
      '40 0 refused',
      '',
    ]);
  });

  it('lets a server tell on which addresses it listens', async () => {
    const script = `console.log(Object.keys(require('os').networkInterfaces()).join());
      const server = require('http').createServer((q, r) => r.end('own')).listen(0, '127.0.0.1', async () => {
        console.log(await (await fetch('http://localhost:' + server.address().port)).text()); process.exit() })`;
    const result = await sandbox.run({ argv: ['node', '-e', script], directory: workspace, ...limits });
    expect(result.stdout.split('\n')).toEqual(['lo', 'own', '']);
  });

  it('does not mount, load programs, hold keys, trace or read other processes', async () => {
    const script = `import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == 'x86_64'
calls = {'mount': (165, 40), 'fsopen': (430, 430), 'bpf': (321, 280), 'keyctl': (250, 219), 'add_key': (248, 217), 'userfaultfd': (323, 282),
  'io_uring_setup': (425, 425), 'ptrace': (101, 117), 'process_vm_readv': (310, 270), 'perf_event_open': (298, 241), 'unshare': (272, 97)}
for name, numbers in calls.items():
    ctypes.set_errno(0)
    # Zeroes: what is let through fails with EFAULT or EINVAL, which is not what the filter says.
    libc.syscall(numbers[0 if x86 else 1], 0, 0, 0, 0, 0)
    print(name, ctypes.get_errno())`;
    const answers = (await python(script)).stdout.trim().split('\n');
    expect(answers.filter((line) => !/ (1|38)$/.test(line))).toEqual([]);
    expect(answers).toHaveLength(11);
  });
});
