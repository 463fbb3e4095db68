/** npm in the sandbox, with a way out to registries: no script of a package runs, and it writes in a folder of its own. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { programText } from '../../inside/program-text.ts';
import { type Egress, hostOf, openEgress } from '../../sandbox/egress.ts';
import { removeInside, writeInside } from '../../sandbox/inside.ts';
import { type CommandResult, treesDirectory } from '../../sandbox/sandbox.ts';
import { fetchingEnvironment } from '../../settings/env.ts';
import { said } from '../report/said.ts';
import { type Installable, JobError, SetupError } from './environment.ts';
import { NPM_LOCK } from './npm-lock.ts';
import { keepPrograms, programsIn } from './npm-programs.ts';
import { pathsIn, type Texts, textsAt } from './texts.ts';

/** What npm is given, by path from the root. */
export interface Wanted {
  readonly manifests: Texts;
  /** Settings of npm. */
  readonly settings: Texts;
  /** An empty text stands for a lock file that is to be made. */
  readonly locks: Texts;
  readonly registries: readonly string[];
}

export interface Fetched {
  /** Holds every `node_modules` where it belongs, and nothing else. */
  readonly folder: string;
  /** The lock files as npm leaves them. */
  readonly locks: Texts;
}

/** Has npm install in a folder of its own, on top of what the set-up action has: those packages keep what their install scripts have made. @throws {JobError} */
export async function fetched(
  bench: Installable,
  { manifests, settings, locks, registries }: Wanted,
): Promise<Fetched> {
  const { scratch, prepared } = bench.environment;
  const place = await mkdtemp(join(treesDirectory(scratch), 'packages-'));
  const folder = join(place, 'root');
  await mkdir(folder);
  if (prepared !== undefined) await execa('cp', ['-a', '--', `${prepared}/.`, folder], { stdin: 'ignore' });
  const laid = new Map([...manifests, ...settings, ...locks].filter(([, text]) => text !== ''));
  for (const [path, text] of laid) refuse(path, await writeInside(folder, path, text));
  const hosts = new Set(registries.flatMap((address) => hostOf(address) ?? []));
  for (const path of locks.keys()) {
    const inside = join(folder, dirname(path));
    const programs = await programsIn(inside);
    await npmInstall(bench, { place, folder: inside, hosts });
    await keepPrograms(inside, programs, bench.environment.log);
  }
  const left = await textsAt(folder, await pathsIn(folder, NPM_LOCK));
  const unasked = [...left.keys()].find((path) => !locks.has(path));
  if (unasked !== undefined)
    throw new JobError(`npm keeps the packages of ${[...locks.keys()].join(', ')} in \`${unasked}\`; change that one.`);
  for (const path of [...laid.keys(), ...locks.keys()]) refuse(path, await removeInside(folder, path));
  await rm(join(place, CACHE), { recursive: true, force: true });
  return { folder, locks: left };
}

function refuse(path: string, refusal: string | undefined): void {
  if (refusal !== undefined) throw new JobError(`\`${path}\` cannot be laid beside the packages: ${refusal}`);
}

const CACHE = 'cache';
/** What is fetched is tried again soon, and not for minutes, as npm would. */
const SOON = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
/** git runs programs that a repository names; older versions of npm know the first of these only. */
const NO_GIT = ['--git=/bin/false', '--allow-git=none'];
const QUIETLY = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
const INSTALL = ['npm', 'install', '--ignore-scripts', ...NO_GIT, ...QUIETLY, ...SOON];

interface Installing {
  /** What npm may write. */
  readonly place: string;
  readonly folder: string;
  readonly hosts: ReadonlySet<string>;
}

async function npmInstall({ brief, environment }: Installable, { place, folder, hosts }: Installing): Promise<void> {
  const { sandbox, scratch, log } = environment;
  const egress = await openEgress(hosts, programText('egress.mjs'));
  try {
    const result = await sandbox.run({
      argv: INSTALL,
      directory: folder,
      env: { CI: 'true', npm_config_cache: join(place, CACHE), ...(await ownAuthorities(scratch)) },
      timeoutMs: brief.limits.commandTimeoutMs,
      outputBytes: brief.limits.outputBytes,
      egress,
    });
    log(`npm install, from ${[...hosts].join(', ')}: ${result.exitCode === 0 ? 'done' : 'failed'}`);
    if (result.exitCode !== 0) throw failureOf(result, egress, hosts);
  } finally {
    await egress.close();
  }
}

/** The certificates of a company's own registry, as this process knows them, where commands read and do not write. */
async function ownAuthorities(scratch: string): Promise<Readonly<Record<string, string>>> {
  const known = fetchingEnvironment().NODE_EXTRA_CA_CERTS;
  if (known === undefined || known === '') return {};
  const copy = join(scratch, 'authorities.pem');
  await copyFile(known, copy);
  return { NODE_EXTRA_CA_CERTS: copy };
}

const UNREACHABLE =
  /\b(?:E401|E403|E5\d\d|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|CERT_\w+)\b|certificate/;

function failureOf(result: CommandResult, egress: Egress, hosts: ReadonlySet<string>): JobError {
  const refused = egress.refused();
  if (refused.length > 0)
    return new JobError(
      `npm wants packages from ${refused.join(', ')}; they come from ${[...hosts].join(', ')} only, which the base's lock files and .npmrc name. Where another registry is meant, a person names it in .npmrc on the base branch.`,
    );
  const message = `The packages that the candidate adds cannot be had: ${said(result, 2000)}`;
  return UNREACHABLE.test(result.stderr) ? new SetupError(message) : new JobError(message);
}
