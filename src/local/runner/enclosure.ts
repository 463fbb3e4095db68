/** Keeps the steps of a repository's own workflows away from this machine: bubblewrap, with a network in which only the embedded GitHub answers. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { enclosed, type Foundations, layFoundations } from '../../confinement/bubblewrap.ts';
import { openDiskMeter } from '../../confinement/disk-meter.ts';
import { defaultLimits, limited } from '../../confinement/limits.ts';
import { createProcessTable } from '../../confinement/process-usage.ts';
import { watch } from '../../confinement/watch.ts';
import { digestOfWorkflow } from '../actions/workflow-digest.ts';
import type { PerformedRun } from '../actions/workflow-types.ts';
import { BOT_LOGIN } from '../host.ts';
import { machineEnvironment, runnerEnvironment } from '../machine-environment.ts';
import { type JobState, nodeDirectory } from './frame.ts';
import { type ExecuteJob, executeJob, type Workplace } from './job.ts';
import { runProcess } from './process.ts';

export interface Confinement {
  /** Workflow files of the App, which bring a sandbox of their own and need the App: on the default branch, dispatched by it. */
  readonly own: readonly string[];
  /** {@link digestOfWorkflow} of workflow files that run also where nothing keeps them in. */
  readonly known: readonly string[];
  /** For the files that bubblewrap needs. */
  readonly folder: string;
  /** Path of a socket where the server answers enclosed steps, without what is local only. */
  readonly outlet: () => Promise<string>;
}

/** Performs jobs of the App's own workflows as they are and all others enclosed; where that is not possible, every step of theirs is refused with what to install. */
export function confining({ own, known, folder, outlet }: Confinement): ExecuteJob {
  let opened: Promise<Walls | { readonly problem: string }> | undefined;
  return async (job, place) => {
    const run = job.run.request;
    if (isOwn(run, own)) return executeJob(job, { ...place, machine: runnerEnvironment() });
    opened ??= openWalls(folder);
    const walls = await opened;
    if ('program' in walls)
      return executeJob(job, { ...place, enclose: enclosing(walls, { ...place, outlet, serverUrl: run.serverUrl }) });
    if (known.includes(digestOfWorkflow(run.text))) return executeJob(job, place);
    // In the steps, because there people read it: on the page of the run, in its log, at the check.
    const sentence = `${run.path} runs code of the repository, which bubblewrap must keep away from this machine, and ${walls.problem}; install it (apt-get install bubblewrap) and allow user namespaces.`;
    return executeJob(job, { ...place, enclose: () => Promise.reject(new Error(sentence)) });
  };
}

function isOwn({ event, path, ref, defaultBranch, actor }: PerformedRun, own: readonly string[]): boolean {
  const isDispatched = event === 'workflow_dispatch' && actor === BOT_LOGIN;
  return isDispatched && own.includes(path) && ref === `refs/heads/${defaultBranch}`;
}

interface Walls {
  readonly program: string;
  readonly foundations: Foundations;
}

/** Finds bubblewrap and tries it once. */
async function openWalls(folder: string): Promise<Walls | { readonly problem: string }> {
  const places = (machineEnvironment().PATH ?? '').split(delimiter).filter(isAbsolute);
  const program = places.map((place) => join(place, 'bwrap')).find((file) => existsSync(file));
  if (program === undefined) return { problem: 'there is no bwrap on the PATH' };
  const foundations = await layFoundations(folder);
  const lines: string[] = [];
  const [command = '', ...argv] = enclosed({ program, foundations, binds: [], directory: '/', environment: {} });
  const trial = {
    command,
    arguments: [...argv, 'true'],
    directory: '/',
    environment: { PATH: machineEnvironment().PATH ?? '' },
    filter: foundations.filter,
    signal: AbortSignal.timeout(10_000),
    onLine: (line: string) => lines.push(line),
  };
  const ending = await runProcess(trial).then(
    (exitCode) => `exit code ${exitCode}`,
    (error: Error) => error.message,
  );
  if (ending === 'exit code 0') return { program, foundations };
  return { problem: `bwrap cannot create a namespace here (${lines.join(' ') || ending})` };
}

/** Where a step finds the way to the server. */
const OUTLET = '/tmp/github';
/** The longest that a job runs, times the processors that it may keep busy. */
const CPU_SECONDS = 6 * 3600 * 8;
/** Listens where the server listens outside, hands on what comes, and is the command until that ends. */
const BRIDGE = `const net = require('node:net');
const [port, way, command, ...argv] = process.argv.slice(1);
const server = net.createServer((near) => {
  const far = net.connect(way);
  near.on('error', () => far.destroy()).on('close', () => far.destroy()).pipe(far);
  far.on('error', () => near.destroy()).on('close', () => near.destroy()).pipe(near);
});
server.listen(Number(port), '127.0.0.1', () => {
  const child = require('node:child_process').spawn(command, argv, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(command + ' did not start: ' + error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (require('node:os').constants.signals[signal] ?? 0)));
});`;

type Enclose = NonNullable<JobState['enclose']>;

interface Enclosing extends Pick<Workplace, 'directory'>, Pick<Confinement, 'outlet'> {
  readonly serverUrl: string;
}

function enclosing({ program, foundations }: Walls, { directory: folder, outlet, serverUrl }: Enclosing): Enclose {
  const limits = defaultLimits();
  let meter: ReturnType<typeof openDiskMeter> | undefined;
  const table = createProcessTable();
  return async ({ command, arguments: argv, directory, environment }) => {
    meter ??= openDiskMeter({ workspace: folder, copies: folder }, limits);
    const disk = await meter;
    const way = await outlet();
    const [bubblewrap = '', ...wrapped] = enclosed({
      program,
      foundations,
      binds: [...nodeBinds(), '--bind', folder, folder, '--ro-bind', dirname(way), OUTLET],
      directory,
      environment,
    });
    const bridge = [process.execPath, '-e', BRIDGE, new URL(serverUrl).port, join(OUTLET, 'socket')];
    return {
      command: bubblewrap,
      arguments: [...wrapped, ...limited({ limits, cpuSeconds: CPU_SECONDS }), ...bridge, command, ...argv],
      directory: folder,
      environment: { PATH: environment.PATH ?? '' },
      filter: foundations.filter,
      watch: (processId, kill) => watch(processId, { tree: folder, limits, disk, table }, { kill }),
    };
  };
}

/** This Node may live outside the system's folders; npm lies beside it, where it is installed as a whole. */
function nodeBinds(): readonly string[] {
  const modules = join(dirname(nodeDirectory), 'lib', 'node_modules');
  return [nodeDirectory, modules]
    .filter((place) => !place.startsWith('/usr/') && existsSync(place))
    .flatMap((place) => ['--ro-bind', place, place]);
}
