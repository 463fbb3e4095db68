/** What every bubblewrap of ours has alike: name spaces, the system's folders, a filter of system calls, and nothing that was open before. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCallFilter } from './system-call-filter.ts';

/** The descriptor at which bubblewrap reads the filter; whoever starts it opens `Foundations.filter` there. */
export const FILTER_DESCRIPTOR = 4;
/** The descriptor at which bubblewrap says which process is the first of the enclosure. */
export const FIRST_PROCESS_DESCRIPTOR = 5;

/** Files that are the same for all commands, outside of what a command may write. */
export interface Foundations {
  readonly folder: string;
  /** Where the filter is; undefined on a machine whose system calls we do not know. */
  readonly filter: string | undefined;
}

const HOME = '/tmp/home';
/** The command's own view of the machine's users and names; the real files tell who uses the machine. */
const ETC = {
  passwd: `root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nloopwright:x:1000:1000::${HOME}:/bin/sh\n`,
  group: 'root:x:0:\nloopwright:x:1000:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

/** Writes the foundations into a folder, which is made where it is missing. */
export async function layFoundations(folder: string, architecture: string = process.arch): Promise<Foundations> {
  const filter = systemCallFilter(architecture);
  await mkdir(join(folder, 'etc'), { recursive: true });
  await Promise.all(Object.entries(ETC).map(([name, text]) => writeFile(join(folder, 'etc', name), text)));
  if (filter === undefined) return { folder, filter: undefined };
  await writeFile(join(folder, 'filter.bpf'), filter);
  return { folder, filter: join(folder, 'filter.bpf') };
}

export interface Enclosure {
  /** The first `bwrap` of the path, or another. */
  readonly program: string;
  readonly foundations: Foundations;
  /** Arguments of bubblewrap for /proc; by default the command's own. */
  readonly proc?: readonly string[];
  /** Arguments of bubblewrap that bind what the command needs, in order, after the temporary directory. */
  readonly binds: readonly string[];
  readonly directory: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
}

const TMP_BYTES = String(512 * 1024 * 1024);
const SHARED_MEMORY_BYTES = String(64 * 1024 * 1024);
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
const CERTIFICATES = ['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/ca-certificates', '/etc/pki'];

/** The home in the temporary directory, where a command has no other. */
export const ENCLOSED_HOME = HOME;

/** The command line of bubblewrap up to the command: no network, no rights, a temporary directory of its own, all else read-only or absent. */
export function enclosed(enclosure: Enclosure): readonly string[] {
  const { program, foundations, proc = ['--proc', '/proc'], binds, directory, environment } = enclosure;
  return [
    program,
    ...'--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --clearenv'.split(' '),
    ...'--uid 1000 --gid 1000 --hostname sandbox --cap-drop ALL'.split(' '),
    ...['--info-fd', String(FIRST_PROCESS_DESCRIPTOR)],
    ...(foundations.filter === undefined ? [] : ['--seccomp', String(FILTER_DESCRIPTOR)]),
    ...SYSTEM.concat(CERTIFICATES).flatMap((path) => ['--ro-bind-try', path, path]),
    ...Object.keys(ETC).flatMap((name) => ['--ro-bind', join(foundations.folder, 'etc', name), `/etc/${name}`]),
    ...proc,
    ...['--dev', '/dev', '--size', SHARED_MEMORY_BYTES, '--tmpfs', '/dev/shm'],
    ...['--size', TMP_BYTES, '--tmpfs', '/tmp', '--dir', HOME],
    ...binds,
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', directory],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
  ];
}
