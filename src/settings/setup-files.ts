/** The files for a repository, written into a checkout: those that it needs (configuration, workflows, the action of their jobs) and the set-up action. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONFIG_PATH, WORKFLOWS } from './config.ts';
import { type GuessedTests, guessedConfig, isUnfinished, type ShownTests, usualTests } from './guessed-config.ts';
import { onMachines } from './machine-labels.ts';
import {
  asAction,
  asWorkflow,
  type JobPlace,
  otherLine,
  PLACE_FORMS,
  PLACE_KEYS,
  type PlaceKey,
  type Reading,
  withPlacesOf,
  withPlainEnds,
} from './own-file.ts';
import { packageFile } from './package-root.ts';

const NAMES = [...new Set(Object.values(WORKFLOWS))];

const JOB = 'loopwright-job';
const SETUP = 'loopwright-setup';

/** What each job of the workflows does. */
export const JOB_ACTION = actionPath(JOB);

/** Downloads what the repository's lock files name; a repository that needs nothing, or prepares its runners, does without it. */
export const SETUP_ACTION = actionPath(SETUP);

/** Where those are without which no loop starts. */
export const SETUP_PATHS: readonly string[] = [CONFIG_PATH, ...NAMES.map(workflowPath), JOB_ACTION];

/** Where Actions look for a workflow. */
export function workflowPath(name: string): string {
  return `.github/workflows/${name}`;
}

function actionPath(name: string): string {
  return `.github/actions/${name}/action.yml`;
}

/** Everything that is written into a checkout. */
export const SETUP_FILES: readonly string[] = [...SETUP_PATHS, SETUP_ACTION];

export interface SetupFile {
  readonly path: string;
  readonly state: 'written' | 'overwritten' | 'renewed' | 'same' | 'differs';
  /** What people had said in a workflow that was overwritten, and have to say again. */
  readonly setBack: readonly JobPlace[];
}

export interface SetupRequest {
  readonly force: boolean;
  /** Without them the runner is what the files at the root usually mean. */
  readonly tests?: GuessedTests | undefined;
  /** All that could have been guessed: a guess of before that waits for its runner is renewed. */
  readonly guesses?: readonly ShownTests[];
  /** Labels of the machines that the jobs run on. Without them workflow files that are there keep theirs. */
  readonly runsOn?: readonly string[] | undefined;
  /** Without it, github.com. */
  readonly server?: Server;
}

/** The GitHub that the workflows run on. */
export type Server = 'github.com' | 'enterprise-server';

/** What an enterprise server has instead: https://github.com/actions/upload-artifact#ghes-support, by the commits of the tags. */
const OLDER_ACTIONS: Readonly<Record<string, string>> = {
  'actions/upload-artifact': 'c24449f33cd45d4826c6702db7e49f7cdb9b551d # v3.2.1-node20',
  'actions/download-artifact': '246d7188e736d3686f6d19628d253ede9697bd55 # v3-node20',
};

/** A file below `config`, as it is written for a GitHub. */
export async function setupText(place: readonly string[], server: Server): Promise<string> {
  const text = await readFile(packageFile('config', ...place), 'utf8');
  if (server === 'github.com') return text;
  return text.replaceAll(/(?<=uses: )([\w/-]+)@\S+ # \S+/g, (whole, name: string) => {
    const older = OLDER_ACTIONS[name];
    return older === undefined ? whole : `${name}@${older}`;
  });
}

/** How a file stands beside the one that this version writes: `moved` is a workflow for other machines or another time, `foreign` is for the other GitHub. */
export type Standing = 'missing' | 'same' | 'moved' | 'foreign' | 'differs';

/** Of a text that is to be the file below `config`. */
export async function standingOf(
  there: string | undefined,
  place: readonly string[],
  server: Server,
): Promise<Standing> {
  if (there === undefined) return 'missing';
  const text = withPlainEnds(there);
  const ours = await setupText(place, server);
  if (text === ours) return 'same';
  if (otherLine(text, ours, readingOf(place)) === undefined) return isWorkflow(place) ? 'moved' : 'same';
  const other = server === 'github.com' ? 'enterprise-server' : 'github.com';
  const foreign = await setupText(place, other);
  return otherLine(text, foreign, readingOf(place)) === undefined ? 'foreign' : 'differs';
}

/** What a file that `differs` is told of: where, and what of it is people's own; a clause. @throws {Error} for one that does not. */
export async function differenceIn(there: string, place: readonly string[], server: Server): Promise<string> {
  const line = otherLine(withPlainEnds(there), await setupText(place, server), readingOf(place));
  if (line === undefined) throw new Error(`${place.join('/')} does not differ`);
  const forms = Object.entries(PLACE_FORMS)
    .map(([key, form]) => `\`${key}\` (${form})`)
    .join(' and ');
  const own = isWorkflow(place) ? `; only ${forms}, each in one line, and whole lines of remarks may be others` : '';
  return `it is older, or was changed, first in line ${line}${own}`;
}

const isWorkflow = ([kind]: readonly string[]): boolean => kind === 'workflows';
const readingOf = (place: readonly string[]): Reading => (isWorkflow(place) ? asWorkflow : asAction);

/** Writes what is missing; what is there and differs only when it is forced. */
export async function writeSetup(
  directory: string,
  { force, tests, guesses = [], runsOn, server = 'github.com' }: SetupRequest,
): Promise<readonly SetupFile[]> {
  const names = await readdir(directory);
  const ours = (...place: readonly string[]) => setupText(place, server);
  const isOld = (text: string) => isUnfinished(text, names, guesses);
  const files: readonly Wanted[] = [
    ...NAMES.map((name) => workflowFile(name, ours('workflows', name), runsOn)),
    { path: JOB_ACTION, text: ours('actions', JOB, 'action.yml') },
    { path: SETUP_ACTION, text: ours('actions', SETUP, 'action.yml'), isTheirs: true },
    { path: CONFIG_PATH, text: guessedConfig(names, tests ?? usualTests(names)), isOld },
  ];
  return Promise.all(files.map((file) => written(directory, file, force)));
}

interface Wanted {
  readonly path: string;
  readonly text: string | Promise<string>;
  /** Whether a text is one of ours that nobody has changed. */
  readonly isOld?: (text: string) => boolean;
  /** It is people's own once it is there. */
  readonly isTheirs?: boolean;
  /** Of a workflow: what stays as people have said it. */
  readonly keeps?: readonly PlaceKey[];
}

function workflowFile(name: string, ours: Promise<string>, runsOn: SetupRequest['runsOn']): Wanted {
  const text = ours.then((plain) => onMachines(plain, runsOn));
  const keeps = runsOn === undefined ? PLACE_KEYS : (['timeout-minutes'] as const);
  return { path: workflowPath(name), text, keeps };
}

async function written(directory: string, wanted: Wanted, force: boolean): Promise<SetupFile> {
  const { path } = wanted;
  const file = join(directory, path);
  const ours = await wanted.text;
  const before = existsSync(file) ? await readFile(file, 'utf8') : undefined;
  const { text, setBack } = textFor(wanted, ours, before);
  if (before === text || isAsItShouldBe(wanted, text, before)) return { path, state: 'same', setBack: [] };
  const state = before === undefined ? 'written' : wanted.isOld?.(before) === true ? 'renewed' : 'overwritten';
  if (state === 'overwritten' && !force) return { path, state: 'differs', setBack: [] };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return { path, state, setBack };
}

function textFor({ keeps }: Wanted, ours: string, there: string | undefined): ReturnType<typeof withPlacesOf> {
  return keeps === undefined || there === undefined ? { text: ours, setBack: [] } : withPlacesOf(there, ours, keeps);
}

/** What is people's own, and a workflow that has other remarks than `text` at most. */
function isAsItShouldBe({ keeps, isTheirs }: Wanted, text: string, there: string | undefined): boolean {
  if (there === undefined) return false;
  return isTheirs === true || (keeps !== undefined && samePlaces(there, text));
}

/** Machines and times count here. */
function samePlaces(there: string, text: string): boolean {
  const plain = withPlainEnds(there);
  return otherLine(plain, text, asWorkflow) === undefined && withPlacesOf(plain, text).text === text;
}
