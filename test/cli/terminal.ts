/** The CLI as somebody types it: a process of its own, with an environment that chooses nothing. It is the installed program unless told otherwise. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { childEnvironment } from '../../src/settings/env.ts';
import { COMMAND } from '../prepared.ts';

/** What `npm start` runs in a checkout. */
export const SOURCES = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

const argvOf = (program: string, argv: readonly string[]) => [
  '--disable-warning=ExperimentalWarning',
  program,
  ...argv,
];

export interface Ended {
  readonly code: number | undefined;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs a command to its end; output as lines. */
export async function typed(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program = COMMAND,
): Promise<Ended> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, argvOf(program, argv), {
    extendEnv: false,
    env: { ...childEnvironment(), ...environment },
    reject: false,
  });
  return { code: exitCode, out: linesOf(stdout), err: linesOf(stderr) };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

export interface Running {
  readonly child: ChildProcess;
  readonly printed: () => string;
  /** Waits until the output has this text; fails when the command ends before. */
  until(text: string): Promise<void>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command whose standard output nobody reads to the end; `printed` is its standard error. */
export function startedAndClosed(argv: readonly string[]) {
  const child = spawn(process.execPath, argvOf(COMMAND, argv), {
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stdout.destroy();
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, printed: () => printed, ended };
}

interface Start {
  readonly environment?: Readonly<Record<string, string>>;
  readonly program?: string;
  /** `pipe` where the test types. */
  readonly input?: 'ignore' | 'pipe';
}

/** Starts a command that is stopped later. */
export function started(
  argv: readonly string[],
  { environment = {}, program = COMMAND, input = 'ignore' }: Start = {},
): Running {
  const child = spawn(process.execPath, argvOf(program, argv), {
    env: { ...childEnvironment(), ...environment },
    stdio: [input, 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    printed: () => printed,
    async until(text) {
      while (!printed.includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`it ended without "${text}":\n${printed}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Every process that works with this directory: by its arguments, its environment, or where it stands. */
export function processesOf(directory: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((id) => [read(id, 'cmdline'), read(id, 'environ'), placeOf(id)].some((text) => text.includes(directory)))
    .map((id) => `${id} ${read(id, 'cmdline').replaceAll('\0', ' ')}`);
}

/** A process may end between the listing and this look. */
function read(id: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function placeOf(id: string): string {
  try {
    return readlinkSync(`/proc/${id}/cwd`);
  } catch {
    return '';
  }
}
