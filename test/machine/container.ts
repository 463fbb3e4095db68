/**
 * A container of the image, as far as a container has to do with what the image is: its own user, whom this machine knows by the same number, no capability, a root
 * that is read-only, processes of its own, the App the first of them. bubblewrap makes it, as elsewhere here; the network is this machine's.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { AS_ROOT, asRoot, type BuiltImage } from './image-build.ts';

export interface ContainerOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Directories of this machine by their place in it. */
  readonly binds?: Readonly<Record<string, string>>;
  readonly tmpfs?: readonly string[];
  /** Instead of the image's entry point and command. */
  readonly argv?: readonly string[];
  /** False shows by what modes alone its user is kept from writing. */
  readonly readOnly?: boolean;
}

export interface Container {
  /** Lines on standard output and standard error so far. */
  readonly lines: readonly string[];
  /** Waits until a line has this text; fails when the container ends before. */
  until(text: string): Promise<void>;
  /** Resident memory of all its processes, in MB: each counts what it shares with others. */
  residentMb(): Promise<number>;
  /** Sends the signal to its first process; returns the exit code and how many seconds the end took. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ readonly code: number | null; readonly seconds: number }>;
  /** How it ended. */
  readonly ended: Promise<number | null>;
}

export function startContainer(image: BuiltImage, options: ContainerOptions = {}): Container {
  const [uid = '', gid = ''] = image.settings.User.split(':');
  const asUser = ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups'];
  const [program = '', ...argv] = [...AS_ROOT, ...asUser, 'bwrap', ...wallsOf(image, options)];
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', (line) => lines.push(line));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const first = () => firstProcess(String(child.pid));
  return {
    lines,
    ended,
    async until(text) {
      while (!lines.some((line) => line.includes(text))) {
        if (!isRunning()) throw new Error(`it ended without "${text}":\n${lines.join('\n')}`);
        await sleep(50);
      }
    },
    residentMb: async () => residentMb(await first()),
    async end(signal) {
      const began = performance.now();
      if (isRunning()) await asRoot('sh', '-c', `kill -s ${signal.slice('SIG'.length)} ${await first()}`);
      return { code: await ended, seconds: (performance.now() - began) / 1000 };
    },
  };
}

/** What bubblewrap is asked for. */
function wallsOf({ settings, root }: BuiltImage, options: ContainerOptions): readonly string[] {
  const { environment = {}, binds = {}, tmpfs = [], argv, readOnly = true } = options;
  const variables = [...settings.Env.map(assignment), ...Object.entries(environment)];
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--as-pid-1', '--die-with-parent', '--cap-drop', 'ALL'],
    // bubblewrap's own /dev is its user's, which the image has no part in.
    ...(readOnly ? ['--ro-bind', root, '/', '--dev', '/dev'] : ['--bind', root, '/']),
    ...['--proc', '/proc'],
    ...tmpfs.flatMap((place) => ['--tmpfs', place]),
    ...Object.entries(binds).flatMap(([place, source]) => ['--bind', source, place]),
    ...['--clearenv', ...variables.flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', settings.WorkingDir, '--', ...(argv ?? [...settings.Entrypoint, ...settings.Cmd])],
  ];
}

function assignment(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The child of bubblewrap, which is the last of a chain of programs that start one other. */
async function firstProcess(pid: string): Promise<string> {
  const [child] = await childrenOf(pid);
  if (child === undefined) throw new Error(`process ${pid} has started no container yet`);
  return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'bwrap' ? child : firstProcess(child);
}

/** Of the process and all that it started. */
async function residentMb(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  const below = await childrenOf(pid);
  const theirs = await Promise.all(below.map(residentMb));
  return theirs.reduce((sum, mb) => sum + mb, Number(kilobytes) / 1024);
}

async function childrenOf(pid: string): Promise<readonly string[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter((text) => text !== ''));
}
