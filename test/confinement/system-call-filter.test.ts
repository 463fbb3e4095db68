import { describe, expect, test } from 'vitest';
import { systemCallFilter } from '../../src/confinement/system-call-filter.ts';

interface Call {
  readonly audit: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

/** What a kernel makes of the program: a machine of classic BPF with the five instructions that seccomp programs need here. */
function verdictOf(program: Buffer, call: Call): string {
  const words = Buffer.alloc(64);
  words.writeUInt32LE(call.number, 0);
  words.writeUInt32LE(call.audit, 4);
  for (const [index, value] of (call.arguments ?? []).entries()) words.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const value = program.readUInt32LE(at + 4);
    const jump = (holds: boolean) => {
      at += 8 * program.readUInt8(at + (holds ? 2 : 3));
    };
    const code = program.readUInt16LE(at);
    if (code === 0x20) loaded = words.readUInt32LE(value);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else if (code === 0x06) return nameOf(value);
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error('the program ends without a verdict');
}

function nameOf(value: number): string {
  if (value === 0x7fff0000) return 'allow';
  if (value === 0x80000000) return 'kill';
  return `error ${value & 0xffff}`;
}

const INTEL = 0xc000003e;
const ARM = 0xc00000b7;
const O_CREAT = 0o100;
const TMPFILE = 0o20200000;

describe.each([
  ['x64', INTEL, 0],
  ['arm64', ARM, 1],
] as const)('the filter of system calls on %s', (name, audit, column) => {
  const program = systemCallFilter(name) ?? Buffer.alloc(0);
  const asked = (numbers: readonly number[], ...values: readonly number[]) =>
    verdictOf(program, { audit, number: numbers[column] ?? -1, arguments: values });

  test('is a whole number of instructions, and fewer than the kernel takes', () => {
    expect(program.length % 8).toBe(0);
    expect(program.length / 8).toBeLessThan(4096);
  });

  test.each([
    ['read', [0, 63]],
    ['write', [1, 64]],
    ['execve', [59, 221]],
    ['clone', [56, 220]],
    ['clone3', [435, 435]],
    ['futex', [202, 98]],
    ['connect', [42, 203]],
    ['fchown', [93, 55]],
    ['prctl', [157, 167]],
    ['seccomp', [317, 277]],
    ['memfd_create', [319, 279]],
    ['rt_sigreturn', [15, 139]],
  ])('lets a program %s', (_, numbers) => {
    expect(asked(numbers)).toBe('allow');
  });

  test.each([
    ['mount', [165, 40]],
    ['move_mount', [429, 429]],
    ['open_tree', [428, 428]],
    ['fsopen', [430, 430]],
    ['unshare', [272, 97]],
    ['setns', [308, 268]],
    ['bpf', [321, 280]],
    ['keyctl', [250, 219]],
    ['add_key', [248, 217]],
    ['request_key', [249, 218]],
    ['userfaultfd', [323, 282]],
    ['ptrace', [101, 117]],
    ['process_vm_readv', [310, 270]],
    ['process_vm_writev', [311, 271]],
    ['pidfd_getfd', [438, 438]],
    ['perf_event_open', [298, 241]],
    ['open_by_handle_at', [304, 265]],
  ])('does not permit %s', (_, numbers) => {
    expect(asked(numbers)).toBe('error 1');
  });

  test.each([
    ['io_uring_setup', [425, 425]],
    ['io_uring_enter', [426, 426]],
    ['io_uring_register', [427, 427]],
    ['openat2', [437, 437]],
  ])('does not know %s, so that programs take the older way', (_, numbers) => {
    expect(asked(numbers)).toBe('error 38');
  });

  test.each([
    ['UNIX', 1, 'allow'],
    ['INET', 2, 'allow'],
    ['INET6', 10, 'allow'],
    ['PACKET', 17, 'error 97'],
    ['ALG', 38, 'error 97'],
    ['VSOCK', 40, 'error 97'],
  ])('answers a socket of the family %s with %3$s', (_, family, verdict) => {
    expect(asked([41, 198], family, 1, 0)).toBe(verdict);
    expect(asked([53, 199], family, 1, 0)).toBe(verdict);
  });

  test('gives of NETLINK only what lists the own addresses', () => {
    const verdicts = Array.from({ length: 23 }, (_, protocol) => asked([41, 198], 16, 3, protocol));
    expect(verdicts).toEqual(['allow', ...Array(22).fill('error 97')]);
  });

  test.each([
    ['chmod', [90], 1],
    ['fchmod', [91, 52], 1],
    ['fchmodat', [268, 53], 2],
    ['fchmodat2', [452, 452], 2],
    ['creat', [85], 1],
    ['mknod', [133], 1],
    ['mknodat', [259, 33], 2],
  ])('lets no %s give a file the rights of its owner', (_, numbers, index) => {
    if (numbers[column] === undefined) return;
    const withMode = (mode: number) => asked(numbers, ...Array(index).fill(0xffffffff), mode);
    expect([0o755, 0o1777].map(withMode)).toEqual(['allow', 'allow']);
    expect([0o4755, 0o2755, 0o6000].map(withMode)).toEqual(['error 1', 'error 1', 'error 1']);
  });

  test.each([
    ['open', [2], 1],
    ['openat', [257, 56], 2],
  ])('looks at the mode of %s only where a file is made', (_, numbers, index) => {
    if (numbers[column] === undefined) return;
    const opened = (flags: number, mode: number) => asked(numbers, ...Array(index).fill(0), flags, mode);
    expect([opened(O_CREAT, 0o755), opened(0, 0o6755)]).toEqual(['allow', 'allow']);
    expect([opened(O_CREAT | 1, 0o4755), opened(TMPFILE, 0o2755)]).toEqual(['error 1', 'error 1']);
  });

  test('gives memory that belongs to no process in small pieces only', () => {
    const sized = (bytes: number) => asked([29, 194], 0, bytes, 0o600);
    expect([56, 65_536, 65_537, 2 ** 32, 2 ** 32 + 1].map(sized)).toEqual([
      'allow',
      'allow',
      'error 12',
      'error 12',
      'error 12',
    ]);
  });

  test('kills a program of another architecture, and one with the other table of numbers', () => {
    for (const other of [INTEL, ARM, 0x40000003, 0x40000028].filter((one) => one !== audit))
      expect(verdictOf(program, { audit: other, number: 1 })).toBe('kill');
    expect(verdictOf(program, { audit, number: 0x40000000 + 41 })).toBe('kill');
  });
});

test('there is no filter for an architecture whose numbers are not known', () => {
  expect(systemCallFilter('riscv64')).toBeUndefined();
  expect(systemCallFilter('constructor')).toBeUndefined();
});
