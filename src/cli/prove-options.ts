/** What a person says to `loopwright prove`, read before anything is run; what cannot be meant is a sentence. */
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkedYaml } from '../context/checked-yaml.ts';
import { repositoryFacts } from '../context/repository-facts.ts';
import { UsageError } from '../errors.ts';
import { isTestFile } from '../guard/test-paths.ts';
import type { Commands } from '../loop/brief.ts';
import { junitCommand, testDirectory } from '../loop/test-commands.ts';
import { type RequirementList, requirementList } from '../proof/requirements.ts';
import { detectRunner, RUNNER_NAMES, type RunnerName } from '../runners/runners.ts';
import type { Checkout } from '../trees/checkout.ts';
import { treeOf } from '../trees/repository.ts';

/** @throws {UsageError} when it is no whole number that somebody can wait for. */
export function countOf(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST_FAULTS) return count;
  throw new UsageError(`"${text}" is no number of faults; say a whole number from 0 to ${MOST_FAULTS}.`);
}

const MOST_FAULTS = 1000;

/** @throws {UsageError} when it is no folder of the repository. */
export function directoryOf(given: string | undefined): string | undefined {
  if (given === undefined || testDirectory.safeParse(given).success) return given;
  throw new UsageError(
    `--directory ${given}: write a folder of the repository by its path from the root, as packages/shop, without ".."`,
  );
}

interface WantedRunner {
  readonly runner?: string | undefined;
  readonly directory?: string | undefined;
}

export async function runnerOf(
  { repository }: Checkout,
  head: string,
  { runner: wanted, directory }: WantedRunner,
): Promise<RunnerName> {
  const known = RUNNER_NAMES.join(' or ');
  if (wanted !== undefined) {
    const found = RUNNER_NAMES.find((name) => name === wanted);
    if (found === undefined) throw new UsageError(`There is no runner "${wanted}"; say ${known}.`);
    return found;
  }
  const files = (await treeOf(repository, head)).map(({ path }) => path);
  const read = async (path: string) => (await repository.git(['show', `${head}:${path}`])).toString('utf8');
  const folder = directory === undefined ? '' : `${directory.replace(/\/$/, '')}/`;
  const own = files.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
  const detected =
    detectRunner(await repositoryFacts(own, (path) => read(`${folder}${path}`)), RUNNER_NAMES) ??
    detectRunner(await repositoryFacts(files, read), RUNNER_NAMES);
  if (detected === undefined)
    throw new UsageError(
      files.some((path) => RUNNER_NAMES.some((name) => isTestFile(path, name)))
        ? `It cannot be told what runs the tests of this repository; say it by --runner: ${known}. Of another that writes JUnit XML (tape, mocha, ava …) it is junit, with --junit-command and --junit-sentinel, as \`prove --help\` says.`
        : `No file in ${head.slice(0, 10)} has a name that tests go by; a change is proved by its own tests, so add some, or say what runs them by --runner: ${known}.`,
    );
  return detected.name;
}

/** @throws {ConfigError} when the file is no such list. */
export async function requirementsIn(file: string | undefined): Promise<RequirementList> {
  if (file === undefined) return {};
  return checkedYaml(requirementList, await textOf('requirements', file), file);
}

/** @throws {UsageError} when it cannot be read. */
async function textOf(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--${option} ${file} cannot be read (${error.code}); name a file that is there.`);
  });
}

/** Before anything is run, whose result could then not be kept. @throws {UsageError} when no file can be written there. */
export async function assertWritable(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const folder = dirname(resolve(file));
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--sarif ${file} cannot be written (${error.code}); name a file in a folder that is there.`);
  });
}

/** The command of the runner `junit`. @throws {UsageError} when it is not whole, or there for another runner. */
export async function junitOf(
  runner: RunnerName,
  values: { readonly 'junit-command'?: string; readonly 'junit-sentinel'?: string },
): Promise<Commands['junit']> {
  const { 'junit-command': run, 'junit-sentinel': file } = values;
  if ((runner === 'junit') !== (run !== undefined && file !== undefined))
    throw new UsageError('--runner junit needs --junit-command and --junit-sentinel, and no other runner takes them.');
  if (run === undefined || file === undefined) return undefined;
  const found = junitCommand.safeParse({ run, sentinel: await textOf('junit-sentinel', file) });
  if (found.success) return found.data;
  throw new UsageError(found.error.issues.map(({ message }) => message).join(' '));
}
