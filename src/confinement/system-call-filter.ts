/** Which system calls generated code may not make, as a seccomp program for `bwrap --seccomp`. Pure: the same bytes for the same architecture. */
import {
  ALLOW,
  bytesOf,
  type Instruction,
  KILL,
  loadArchitecture,
  loadArgument,
  loadHighArgument,
  loadNumber,
  refuse,
  unlessEqual,
  whenAnyBit,
  whenAtLeast,
  whenEqual,
} from './filter-program.ts';
import { ARCHITECTURES, type Architecture, SYSTEM_CALLS, type SystemCall } from './system-calls.ts';

/** Error numbers of `<asm-generic/errno.h>`, the same on both architectures. */
const NOT_PERMITTED = 1;
const NOT_IMPLEMENTED = 38;
const NO_SUCH_FAMILY = 97;
const NO_MEMORY = 12;

/** Name spaces and mounts, kernel memory, other processes' memory, and large interfaces that no test needs and that had holes before. */
const REFUSED: readonly SystemCall[] = [
  ...(['mount', 'umount2', 'move_mount', 'open_tree', 'open_tree_attr', 'fsopen', 'fsconfig', 'fsmount'] as const),
  ...(['fspick', 'mount_setattr', 'pivot_root', 'chroot', 'setns', 'unshare', 'swapon', 'swapoff'] as const),
  ...(['bpf', 'keyctl', 'add_key', 'request_key', 'userfaultfd', 'perf_event_open', 'fanotify_init'] as const),
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot'] as const),
  ...(['acct', 'syslog', 'quotactl', 'quotactl_fd', 'open_by_handle_at', 'name_to_handle_at'] as const),
];

/** Programs ask for these first and have another way where the kernel is older; what they ask of them is not in the registers. */
const UNKNOWN: readonly SystemCall[] = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'openat2'];

/** `S_ISUID | S_ISGID`: with these, whoever starts the file is somebody else. */
const SET_ID = 0o6000;
/** Where each call has the mode of a file. */
const MODES: readonly (readonly [SystemCall, number])[] = [
  ['chmod', 1],
  ['fchmod', 1],
  ['fchmodat', 2],
  ['fchmodat2', 2],
  ['creat', 1],
  ['mknod', 1],
  ['mknodat', 2],
];
/** Where each call has its flags; the mode follows, and means something only when a file is made. */
const OPENS: readonly (readonly [SystemCall, number])[] = [
  ['open', 1],
  ['openat', 2],
];
/** `O_CREAT | __O_TMPFILE` */
const MAKES_FILE = 0o100 | 0o20000000;

/** `AF_UNIX`, `AF_INET`, `AF_INET6` */
const FAMILIES = [1, 2, 10];
/**
 * `AF_NETLINK` with `NETLINK_ROUTE`, by which programs list their own network's addresses: Node's `os.networkInterfaces()` throws without it,
 * and with it servers that listen on all addresses. Without rights it changes nothing; all other protocols of this family are refused.
 */
const NETLINK = 16;
const ROUTE = 0;
/** Such memory belongs to no process, so that no look at processes finds it; a database's lock needs far less than this. */
const SHARED_SEGMENT_BYTES = 65_536;
/** The other system call table of x86_64 processors, whose numbers mean other calls. */
const X32 = 0x40000000;

/** The program for `process.arch`; undefined where the numbers are not known. */
export function systemCallFilter(architecture: string): Buffer | undefined {
  const known = Object.hasOwn(ARCHITECTURES, architecture) ? ARCHITECTURES[architecture] : undefined;
  return known === undefined ? undefined : bytesOf(programOf(known));
}

function programOf({ audit, column }: Architecture): readonly Instruction[] {
  const on = (call: SystemCall, then: readonly Instruction[]): readonly Instruction[] => {
    const number = SYSTEM_CALLS[call][column];
    return number === undefined ? [] : whenEqual(number, then);
  };
  const modeRule = (index: number) => [loadArgument(index), ...whenAnyBit(SET_ID, [refuse(NOT_PERMITTED)]), ALLOW];
  return [
    loadArchitecture,
    ...unlessEqual(audit, [KILL]),
    loadNumber,
    ...whenAtLeast(X32, [KILL]),
    ...(['socket', 'socketpair'] as const).flatMap((call) => on(call, familyRule())),
    ...on('shmget', segmentRule()),
    ...MODES.flatMap(([call, index]) => on(call, modeRule(index))),
    ...OPENS.flatMap(([call, index]) =>
      on(call, [loadArgument(index), ...whenAnyBit(MAKES_FILE, modeRule(index + 1)), ALLOW]),
    ),
    ...REFUSED.flatMap((call) => on(call, [refuse(NOT_PERMITTED)])),
    ...UNKNOWN.flatMap((call) => on(call, [refuse(NOT_IMPLEMENTED)])),
    ALLOW,
  ];
}

/** `socket(family, type, protocol)`, and `socketpair`, which has the same arguments. */
function familyRule(): readonly Instruction[] {
  return [
    loadArgument(0),
    ...FAMILIES.flatMap((family) => whenEqual(family, [ALLOW])),
    ...unlessEqual(NETLINK, [refuse(NO_SUCH_FAMILY)]),
    loadArgument(2),
    ...whenEqual(ROUTE, [ALLOW]),
    refuse(NO_SUCH_FAMILY),
  ];
}

/** `shmget(key, size, flags)` */
function segmentRule(): readonly Instruction[] {
  return [
    loadHighArgument(1),
    ...unlessEqual(0, [refuse(NO_MEMORY)]),
    loadArgument(1),
    ...whenAtLeast(SHARED_SEGMENT_BYTES + 1, [refuse(NO_MEMORY)]),
    ALLOW,
  ];
}
