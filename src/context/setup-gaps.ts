/** What a repository lacks before a loop can start there, and what of it the App may bring: read at a commit, run by nobody. */
import { ConfigError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import type { FileChange } from '../loop/brief.ts';
import type { Ports } from '../ports.ts';
import { CONFIG_PATH, type RepositoryConfig, WORKFLOWS } from '../settings/config.ts';
import { type GuessedTests, guessedConfig, usualTests } from '../settings/guessed-config.ts';
import { onMachines } from '../settings/machine-labels.ts';
import {
  differenceIn,
  JOB_ACTION,
  SETUP_ACTION,
  type Server,
  type Standing,
  setupText,
  standingOf,
  workflowPath,
} from '../settings/setup-files.ts';
import { parseConfig } from './repository-config.ts';
import { testSetups } from './test-setup.ts';

/** Where GitHub looks for the form. */
export const ISSUE_FORM = '.github/ISSUE_TEMPLATE/loopwright.yml';

/** Something without which no loop starts. */
export interface Gap {
  readonly path: string;
  /** One sentence that says what is wrong, and one that says what to do unless `text` does. */
  readonly sentence: string;
  /** What the file has to be, where only people may write it and it is not there. */
  readonly text?: string;
}

export interface SetUp {
  /** In the order in which people meet them; without one, all is there. */
  readonly gaps: readonly Gap[];
  /** Where it can be read. */
  readonly config: RepositoryConfig | undefined;
}

export interface Site {
  readonly repository: RepositoryRef;
  readonly sha: string;
  readonly server: Server;
  readonly workspace: Ports['workspace'];
  /** Labels of the machines that new workflows run on; without, as the files say. */
  readonly runsOn?: readonly string[] | undefined;
}

export async function setupAt(place: Site): Promise<SetUp> {
  const site = await surveyed(place);
  const workflows = await Promise.all(Object.values(WORKFLOWS).map((name) => workflowGap(site, name)));
  const action = await gapOf(site, JOB_ACTION, ['actions', 'loopwright-job', 'action.yml']);
  const { gap, config } = await configuredAt(site);
  const gaps = [...workflows, action, gap, await setupActionGap(site)];
  return { gaps: gaps.filter((one) => one !== undefined), config };
}

/** With what lies at the commit: a path that cannot be read as text may still be there. */
interface Surveyed extends Site {
  readonly entries: ReadonlyMap<string, Entry>;
}

type Entry = Awaited<ReturnType<Ports['workspace']['files']>>[number];

async function surveyed(site: Site): Promise<Surveyed> {
  const files = await site.workspace.files(site.repository, site.sha);
  return { ...site, entries: new Map(files.map((entry) => [entry.path, entry])) };
}

const LINK_MODE = '120000';

/** Why nothing can be said of a path, or written there; a clause. Undefined where it is a text, or is not there. */
function obstacleAt(path: string, text: string | undefined, { entries }: Surveyed): string | undefined {
  const folders = path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const blocked = folders.find((folder) => entries.has(folder));
  if (blocked !== undefined) return `cannot be there, because \`${blocked}\` is no folder`;
  const entry = entries.get(path);
  if (entry === undefined) return undefined;
  if (entry.mode === LINK_MODE) return 'is a link, and not the file itself';
  return text === undefined ? 'is no text, or is larger than 256 KiB' : undefined;
}

/** A text, or the gap that its path is. */
async function readAt(
  site: Surveyed,
  path: string,
): Promise<{ readonly text?: string | undefined; readonly gap?: Gap }> {
  const text = await textAt(site, path);
  const obstacle = obstacleAt(path, text, site);
  return obstacle === undefined ? { text } : { gap: { path, sentence: `\`${path}\` ${obstacle}; mend that first.` } };
}

const ANEW = 'Write it anew with `loopwright init --force` in a checkout, and look that your own configuration stays.';

const MISSING = 'is missing; `loopwright init` writes it into a checkout.';

const WRONG: Readonly<Record<Exclude<Standing, 'same' | 'moved' | 'differs'>, string>> = {
  missing: MISSING,
  foreign: `is for another kind of GitHub. ${ANEW}`,
};

async function gapOf(site: Surveyed, path: string, place: readonly string[]): Promise<Gap | undefined> {
  const { text, gap } = await readAt(site, path);
  if (gap !== undefined) return gap;
  const standing = await standingOf(text, place, site.server);
  if (standing === 'same' || standing === 'moved') return undefined;
  if (standing !== 'differs') return { path, sentence: `\`${path}\` ${WRONG[standing]}` };
  const difference = await differenceIn(text ?? '', place, site.server);
  return { path, sentence: `\`${path}\` is not as this version of Loopwright writes it: ${difference}. ${ANEW}` };
}

async function workflowGap(site: Surveyed, name: string): Promise<Gap | undefined> {
  const path = workflowPath(name);
  const gap = await gapOf(site, path, ['workflows', name]);
  if (gap === undefined || !isFree(path, site)) return gap;
  return { ...gap, text: onMachines(await setupText(['workflows', name], site.server), site.runsOn) };
}

/** Whether a file can be written there as a new one. */
const isFree = (path: string, site: Surveyed): boolean =>
  !site.entries.has(path) && obstacleAt(path, undefined, site) === undefined;

async function configuredAt(
  site: Surveyed,
): Promise<{ readonly gap?: Gap; readonly config: RepositoryConfig | undefined }> {
  const path = CONFIG_PATH;
  const { text, gap } = await readAt(site, path);
  if (gap !== undefined) return { gap, config: undefined };
  if (text === undefined) return { gap: { path, sentence: `\`${path}\` ${MISSING}` }, config: undefined };
  try {
    return { config: parseConfig(text) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { gap: { path, sentence: error.message }, config: undefined };
  }
}

/** Only where the configuration takes from what it has downloaded. */
async function setupActionGap(site: Surveyed): Promise<Gap | undefined> {
  const config = (await textAt(site, CONFIG_PATH)) ?? '';
  if (!config.includes('LOOPWRIGHT_SETUP')) return undefined;
  const { text, gap } = await readAt(site, SETUP_ACTION);
  if (text !== undefined || gap !== undefined) return gap;
  return {
    path: SETUP_ACTION,
    sentence: `\`${SETUP_ACTION}\` is missing, and \`${CONFIG_PATH}\` takes from what it has downloaded; \`loopwright init\` writes it into a checkout.`,
  };
}

const textAt = ({ workspace, repository, sha }: Site, path: string): Promise<string | undefined> =>
  workspace.read(repository, sha, path);

/** A file, and what it is for: a clause for people. */
export interface ProposedFile extends FileChange {
  readonly purpose: string;
}

/** What the App proposes: all that is not there but the workflow files, which it may not write. */
export interface Proposal {
  readonly changes: readonly ProposedFile[];
  /** What the files show of the tests; undefined where a configuration is there. */
  readonly tests: GuessedTests | undefined;
}

export async function proposalFor(place: Site): Promise<Proposal> {
  const site = await surveyed(place);
  const paths = [...site.entries.values()].filter(({ type }) => type === 'blob').map(({ path }) => path);
  const guessed = await guessAt(site, paths);
  const missing = async ([path, purpose, text]: Offered): Promise<readonly ProposedFile[]> =>
    isFree(path, site) ? [{ ...changeOf(path, await text(site, guessed, paths)), purpose }] : [];
  const [config = [], ...others] = await Promise.all(OFFERED.map(missing));
  return { changes: [...config, ...others.flat()], tests: config.length > 0 ? guessed : undefined };
}

type Offered = readonly [
  path: string,
  purpose: string,
  text: (site: Site, guessed: GuessedTests, paths: readonly string[]) => string | Promise<string>,
];

/** The configuration goes first. */
const OFFERED: readonly Offered[] = [
  [
    CONFIG_PATH,
    'how the repository is installed, built and tested',
    (_, guessed, paths) => guessedConfig(atRoot(paths), guessed),
  ],
  [
    JOB_ACTION,
    'what the jobs of both workflows do',
    ({ server }) => setupText(['actions', 'loopwright-job', 'action.yml'], server),
  ],
  [
    SETUP_ACTION,
    'downloads what lock files name, because the sandbox has no network; yours to change',
    ({ server }) => setupText(['actions', 'loopwright-setup', 'action.yml'], server),
  ],
  [
    ISSUE_FORM,
    'asks what Loopwright would ask otherwise; yours to change',
    ({ server }) => setupText(['issue-form.yml'], server),
  ],
];

const atRoot = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.map((path) => path.split('/', 1)[0] ?? '')),
];

const UNSHOWN =
  'nothing in the repository shows how its tests run; name the runner, and the command for the whole suite';

/** Nobody has seen it work yet: the trial does, once a person has taken it over. */
async function guessAt(site: Site, paths: readonly string[]): Promise<GuessedTests> {
  const { shown } = await testSetups(paths, async (path) => (await textAt(site, path)) ?? '');
  return shown[0] ?? { ...usualTests(atRoot(paths)), unseen: UNSHOWN };
}

function changeOf(path: string, text: string): FileChange {
  return { path, mode: '100644', content: Buffer.from(text).toString('base64') };
}
