/** npm in the sandbox, with a way out to registries: no script of a package runs, and it writes in a folder of its own. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { programText } from '../../inside/program-text.ts';
import { type Egress, hostOf, openEgress } from '../../sandbox/egress.ts';
import { placeOf, readRegular, writeInside } from '../../sandbox/inside.ts';
import { type CommandResult, treesDirectory } from '../../sandbox/sandbox.ts';
import { fetchingEnvironment } from '../../settings/env.ts';
import { said } from '../report/said.ts';
import { type Bench, JobError, SetupError } from './environment.ts';
import { registriesOf } from './npm-lock.ts';

/** Texts by path from the root. */
export type Texts = ReadonlyMap<string, string>;

/** What npm is asked for: the manifests of a tree, and those of its lock files that are not the base's. */
export interface Wanted {
  readonly manifests: Texts;
  readonly locks: Texts;
  /** Those of the base, and its settings of npm. */
  readonly base: { readonly locks: Texts; readonly settings: Texts };
}

export interface Fetched {
  /** Holds every `node_modules` where it belongs, and nothing else. */
  readonly folder: string;
  /** The lock files as npm leaves them. */
  readonly locks: Texts;
}

/** Has npm install in a folder of its own, on top of what the set-up action has: those packages keep what their install scripts have made. */
export async function fetched(bench: Bench, { manifests, locks, base }: Wanted): Promise<Fetched> {
  const { scratch, prepared } = bench.environment;
  const place = await mkdtemp(join(treesDirectory(scratch), 'packages-'));
  const folder = join(place, 'root');
  await mkdir(folder);
  if (prepared !== undefined) await execa('cp', ['-a', '--', `${prepared}/.`, folder], { stdin: 'ignore' });
  const laid = new Map([...manifests, ...base.settings, ...locks].filter(([, text]) => text !== ''));
  for (const [path, text] of laid) {
    const refusal = await writeInside(folder, path, text);
    if (refusal !== undefined) throw new JobError(`\`${path}\` cannot be laid beside the packages: ${refusal}`);
  }
  const addresses = registriesOf([...base.locks.values()], [...base.settings.values()]);
  const hosts = new Set(addresses.flatMap((address) => hostOf(address) ?? []));
  for (const path of locks.keys()) await npmInstall(bench, { place, folder: join(folder, dirname(path)), hosts });
  const left = await textsAt(folder, [...locks.keys()]);
  for (const path of [...laid.keys(), ...locks.keys()]) await rm(join(folder, path), { force: true });
  await rm(join(place, CACHE), { recursive: true, force: true });
  return { folder, locks: left };
}

const CACHE = 'cache';
/** What is fetched is tried again soon, and not for minutes, as npm would. */
const SOON = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', ...SOON];

interface Installing {
  /** What npm may write. */
  readonly place: string;
  readonly folder: string;
  readonly hosts: ReadonlySet<string>;
}

async function npmInstall({ brief, environment }: Bench, { place, folder, hosts }: Installing): Promise<void> {
  const { sandbox, log } = environment;
  const egress = await openEgress(hosts, programText('egress.mjs'));
  try {
    const result = await sandbox.run({
      argv: ['npm', 'install', ...QUIETLY],
      directory: folder,
      env: { CI: 'true', npm_config_cache: join(place, CACHE), ...(await ownAuthorities(place)) },
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

/** The certificates of a company's own registry, as this process knows them. */
async function ownAuthorities(place: string): Promise<Readonly<Record<string, string>>> {
  const known = fetchingEnvironment().NODE_EXTRA_CA_CERTS;
  if (known === undefined || known === '') return {};
  const copy = join(place, 'authorities.pem');
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

/** Those that are regular files; the candidate may have laid links there. */
export async function textsAt(tree: string, paths: readonly string[]): Promise<Texts> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const place = await placeOf(tree, path);
    if (place.refusal !== undefined || place.stats?.isFile() !== true) continue;
    texts.set(path, String(await readRegular(place.absolute)));
  }
  return texts;
}
