/** Keeps generated code away from the machine: bubblewrap with its own namespaces, or nothing for the scripted model. */
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ENCLOSED_HOME, enclosed, type Foundations, layFoundations } from '../confinement/bubblewrap.ts';
import { type DiskMeter, openDiskMeter } from '../confinement/disk-meter.ts';
import { defaultLimits, type Limits, limited } from '../confinement/limits.ts';
import { createProcessTable, type ProcessTable } from '../confinement/process-usage.ts';
import { openScope, type Scope } from '../confinement/scope.ts';
import { takeSetId } from '../confinement/set-id.ts';
import { limitsTold, missingWalls } from '../confinement/walls.ts';
import { type Watch, watch as watchProcess } from '../confinement/watch.ts';
import { SandboxError } from '../errors.ts';
import type { SandboxKind } from '../loop/brief.ts';
import { childEnvironment } from '../settings/env.ts';
import { type CommandResult, runProcess } from './command-run.ts';
import { closed } from './descriptors.ts';
import type { Egress } from './egress.ts';
import { closedNode, hostProgram, interpreterDirectories } from './programs.ts';
import { createStandIn, type StandIn, standInBinds } from './stand-in.ts';
import { PROCESSORS, type Turns, turnsFor } from './turns.ts';
import { treeBinds, writableTree } from './writable-tree.ts';

export type { CommandResult } from './command-run.ts';

export interface SandboxCommand {
  readonly argv: readonly string[];
  /** Inside the workspace or one of the trees; the command may write in that tree only. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Each of standard output and standard error is cut after so many bytes. */
  readonly outputBytes: number;
  /** Opens file descriptor 3 in the command and returns what was written to it. */
  readonly results?: boolean;
  /** The process holds what judges the code that it runs, and lets that code see as little of itself as possible. */
  readonly judged?: boolean;
  /** Lets the command out to some hosts, instead of those that all may reach. */
  readonly egress?: Egress;
  /** A folder in its tree that the command finds, and may write, where the virtual environment is. */
  readonly python?: string;
}

export interface Sandbox {
  readonly kind: SandboxKind;
  /** What commands may use of the machine, a sentence each. */
  readonly limits: readonly string[];
  /** What of the sandbox this machine does not have, and what stands in for it, a sentence each. */
  readonly missing: readonly string[];
  /** Commands can read it and never write it: the place for our own scripts. */
  readonly scratch: string;
  /** The Node for our own scripts: commands that they start can open neither its memory nor its files. */
  readonly node: string;
  /** The virtual environment that commands take Python from; undefined where there is none, or nothing can be shown in its place. */
  readonly python?: StandIn | undefined;
  /** As many work at a time as there are processors; the time that a command may take begins with its turn. @throws {SandboxError} when the directory is in no bound tree. */
  run(command: SandboxCommand): Promise<CommandResult>;
}

export interface SandboxOptions {
  readonly workspace: string;
  /** Bound read-only besides the system's directories. */
  readonly readOnly: readonly string[];
  /** What the set-up action has installed: bound read-only, and named to every command as `LOOPWRIGHT_SETUP`. */
  readonly prepared?: string | undefined;
  /** Whether the model is the scripted one, whose code is known; only then may the sandbox be missing. */
  readonly scripted: boolean;
  readonly scratch: string;
  /** Directories in which programs are looked for first; of no account where a virtual environment is activated, which somebody means to be used. */
  readonly programs?: readonly string[];
  /** Where programs are found; by default this Node's directory, Python's and the system's. */
  readonly path?: string;
  /** The bubblewrap program; by default the first `bwrap` on this process's own path. */
  readonly program?: string;
  /** What of the machine a command may use. */
  readonly limits?: Limits;
  /** Lets every command out to some hosts; without it there is no network. */
  readonly egress?: Egress | undefined;
}

/** Directories of its children are working copies: a command that runs in one may write in that one. */
export function treesDirectory(scratch: string): string {
  return join(scratch, 'trees');
}

/** Opens the sandbox and tries it once. @throws {SandboxError} when bubblewrap does not work and the model is not the scripted one. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  await mkdir(treesDirectory(options.scratch), { recursive: true });
  const places = await placesOf(options);
  const [problem, node] = await Promise.all([bubblewrapProblem(places), closedNode(places.scratch)]);
  const { scratch } = places;
  if (problem === undefined) {
    const disk = await openDiskMeter({ workspace: places.workspace, copies: places.trees }, places.limits);
    return {
      kind: 'bubblewrap',
      limits: limitsTold(places.limits),
      missing: missingWalls({ filtered: places.foundations.filter !== undefined, scoped: places.scope !== undefined }),
      scratch,
      node,
      python: places.python,
      run: runIn(places, wrapped, { disk, table: createProcessTable(), turns: turnsFor(PROCESSORS) }),
    };
  }
  if (options.scripted)
    return { kind: 'none', limits: [], missing: [], scratch, node: 'node', run: runIn(places, unwrapped) };
  throw new SandboxError(
    `The sandbox needs bubblewrap, and ${problem}; install it on the runner (apt-get install bubblewrap) and allow user namespaces, or use the scripted model.`,
  );
}

interface Places {
  /** Undefined where there is none. */
  readonly program: string | undefined;
  readonly shell: string;
  readonly workspace: string;
  readonly scratch: string;
  readonly foundations: Foundations;
  readonly limits: Limits;
  readonly scope: Scope | undefined;
  readonly trees: string;
  readonly readOnly: readonly string[];
  /** What every command finds in its environment beside what it is given. */
  readonly environment: Readonly<Record<string, string>>;
  readonly path: string;
  readonly python: StandIn | undefined;
  readonly egress: Egress | undefined;
}

interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The filter of system calls, for bubblewrap to read. */
  readonly filter?: string | undefined;
}
type Wrap = (places: Places, command: SandboxCommand, writable: string) => Promise<Invocation>;

/** What all commands of a sandbox have to share. */
interface Shared {
  readonly disk: DiskMeter;
  readonly table: ProcessTable;
  readonly turns: Turns;
}

/** Where nothing is shared, nothing is watched, and nobody waits for a turn. */
function runIn(places: Places, wrap: Wrap, shared?: Shared): Sandbox['run'] {
  return (command) => {
    if (shared === undefined) return runOne(places, { command, wrap });
    const { disk, table, turns } = shared;
    return turns.take((waits) => {
      const watch: Watching = (id, tree, kill) =>
        watchProcess(id, { tree, limits: places.limits, disk, table }, { kill, waits });
      return runOne(places, { command, wrap, watch });
    });
  };
}

type Watching = (id: number, tree: string, kill: () => void) => Watch;

interface One {
  readonly command: SandboxCommand;
  readonly wrap: Wrap;
  readonly watch?: Watching;
}

async function runOne(places: Places, { command, wrap, watch: watching }: One): Promise<CommandResult> {
  const directory = await realpath(command.directory);
  const writable = writableTree(places, directory);
  const invocation = await wrap(places, { ...command, directory }, writable);
  const { timeoutMs, outputBytes, stdin, results = false } = command;
  const watch = watching && ((id: number, kill: () => void) => watching(id, writable, kill));
  const result = await runProcess({ ...invocation, directory, stdin, timeoutMs, outputBytes, results, watch });
  if (wrap === wrapped && outlives(places, writable)) await takeSetId(writable);
  return result;
}

/** A copy is gone before anybody else comes to it; where system calls are filtered, no set-id file can be made in it either. */
function outlives({ workspace, foundations }: Places, tree: string): boolean {
  return tree === workspace || foundations.filter === undefined;
}

async function wrapped(places: Places, command: SandboxCommand, writable: string): Promise<Invocation> {
  const cpuSeconds = Math.ceil(command.timeoutMs / 1000) * 4 + 10;
  const last = command.results === true ? 3 : 2;
  const egress = command.egress ?? places.egress;
  const argv = [
    ...(places.scope?.argv ?? []),
    ...closed(places.shell, last),
    ...enclosed({
      program: places.program ?? 'bwrap',
      foundations: places.foundations,
      ...(isHidden(command) ? { proc: ['--tmpfs', '/proc', '--remount-ro', '/proc'] } : {}),
      binds: [
        ...places.readOnly.flatMap((path) => ['--ro-bind', path, path]),
        ...(await treeBinds(places, writable)),
        ...standInBinds(places.python, command.python),
        ...(egress?.binds ?? []),
      ],
      directory: command.directory,
      environment: { ...places.environment, HOME: ENCLOSED_HOME, TMPDIR: '/tmp', ...command.env },
    }),
    ...limited({ limits: places.limits, cpuSeconds }),
    ...(egress?.argv(last) ?? []),
    ...command.argv,
  ];
  return { argv, env: { PATH: places.path, ...places.scope?.environment }, filter: places.foundations.filter };
}

/** The kernel opens the memory of a process to itself where it is root's, whatever its program; then it gets no /proc to ask. */
function isHidden({ judged }: SandboxCommand): boolean {
  return judged === true && process.getuid?.() === 0;
}

async function unwrapped(places: Places, command: SandboxCommand): Promise<Invocation> {
  const home = join(dirname(places.trees), 'home');
  await mkdir(home, { recursive: true });
  const env = { ...places.environment, HOME: home, TMPDIR: home, ...command.env };
  return { argv: command.argv, env };
}

async function placesOf(options: SandboxOptions): Promise<Places> {
  const [workspace, scratch] = await Promise.all([realpath(options.workspace), realpath(options.scratch)]);
  const interpreters = await interpreterDirectories();
  const limits = options.limits ?? defaultLimits();
  const first = interpreters.environment !== undefined ? [] : (options.programs ?? []);
  const path = options.path ?? [...first, ...interpreters.path, '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const { prepared } = options;
  const ours = prepared === undefined ? options.readOnly : [...options.readOnly, prepared];
  const readOnly = [...interpreters.bind, ...(await Promise.all(ours.map((place) => realpath(place))))];
  return {
    program: options.program ?? (await hostProgram('bwrap')),
    shell: (await hostProgram('bash')) ?? 'bash',
    ...{ workspace, scratch, limits },
    foundations: await layFoundations(scratch),
    scope: await openScope(limits, { path: childEnvironment().PATH ?? '' }),
    trees: treesDirectory(scratch),
    readOnly,
    environment: { PATH: path, LANG: 'C.UTF-8', ...(prepared === undefined ? {} : { LOOPWRIGHT_SETUP: prepared }) },
    ...{ path, egress: options.egress },
    python: interpreters.environment === undefined ? undefined : createStandIn(interpreters.environment),
  };
}

/** Tries the sandbox with a command that does nothing; the clause says why it does not work. */
async function bubblewrapProblem(places: Places): Promise<string | undefined> {
  if (places.program === undefined) return 'there is no bwrap on the PATH';
  const command = { argv: ['true'], directory: places.workspace, timeoutMs: 10_000, outputBytes: 4096 };
  const result = await runIn(places, wrapped)(command);
  if (result.exitCode === 0) return undefined;
  return `bwrap cannot create a namespace here (${result.stderr.trim() || `exit code ${result.exitCode ?? result.signal}`})`;
}
