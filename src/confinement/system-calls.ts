/**
 * Numbers of the system calls that the filter names, for the architectures of runners.
 * Sources: Linux 6.18, `arch/x86/entry/syscalls/syscall_64.tbl` and `scripts/syscall.tbl` (aarch64), as
 * `<asm/unistd_64.h>` and `<asm-generic/unistd.h>` have them; architectures from `<linux/audit.h>`.
 */

export interface Architecture {
  /** `AUDIT_ARCH_…`: what the kernel says of the program that asks. */
  readonly audit: number;
  /** Column of {@link SYSTEM_CALLS}. */
  readonly column: 0 | 1;
}

/** By Node's `process.arch`. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
};

/** [x86_64, aarch64]; undefined where the architecture never had the call. */
export const SYSTEM_CALLS = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chmod: [90, undefined],
  chroot: [161, 51],
  creat: [85, undefined],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mknod: [133, undefined],
  mknodat: [259, 33],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  open: [2, undefined],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
} as const satisfies Readonly<Record<string, readonly [number, number] | readonly [number, undefined]>>;

export type SystemCall = keyof typeof SYSTEM_CALLS;
