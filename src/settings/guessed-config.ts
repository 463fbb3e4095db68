/** `.github/loopwright.yml` as it is guessed from the files of a repository; people correct it. */
import type { Commands } from '../loop/brief.ts';

/** What the repository's files show of how its tests are run. */
export interface ShownTests {
  readonly runner: Commands['runner'];
  readonly test: string;
}

export interface GuessedTests extends ShownTests {
  /** Why nobody has seen the runner work, and what helps: then it is written as a comment. */
  readonly unseen?: string | undefined;
}

interface Stack {
  readonly sign: string;
  readonly install: readonly string[];
  readonly tests: ShownTests;
  /** How such a product is often started. */
  readonly start: string;
}

const FROM_SETUP = [
  '# Runs without network: takes what .github/actions/loopwright-setup has downloaded.',
  `install: cp -R "\${LOOPWRIGHT_SETUP:?}/." .`,
];
const NPM: ShownTests = { test: 'npm test', runner: 'node-test' };

/** What the files at the root of a repository tell about its commands. */
const STACKS: readonly Stack[] = [
  { sign: 'package-lock.json', install: FROM_SETUP, tests: NPM, start: 'npm start' },
  { sign: 'pnpm-lock.yaml', install: FROM_SETUP, tests: NPM, start: 'npm start' },
  { sign: 'yarn.lock', install: FROM_SETUP, tests: NPM, start: 'npm start' },
  { sign: 'package.json', install: [], tests: NPM, start: 'npm start' },
];
const UNKNOWN: Stack = {
  sign: '',
  install: [],
  tests: { test: 'python3 -m unittest discover', runner: 'unittest' },
  start: 'python3 app.py',
};

function stackOf(names: readonly string[]): Stack {
  return STACKS.find(({ sign }) => names.includes(sign)) ?? UNKNOWN;
}

/** How tests are usually run where nothing but the files at the root tells it. */
export function usualTests(names: readonly string[]): ShownTests {
  return stackOf(names).tests;
}

/** `names` are those of the files at the root of the repository. */
export function guessedConfig(names: readonly string[], { runner, test, unseen }: GuessedTests): string {
  const named =
    unseen === undefined ? `runner: ${runner}` : `# runner: ${runner}${NOTE}${unseen.replaceAll(/\s+/g, ' ')}`;
  const { install, start } = stackOf(names);
  const lines = [...install, `test: ${scalar(test)}`, named, ...served(start)];
  return ['version: 1', 'commands:', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** Which path is ready when the product is, no file tells. */
const served = (start: string): readonly string[] => [
  '# A product that is asked over HTTP needs what starts it (its port is in $PORT), and a path that answers 200 when it is ready:',
  `# start: ${start}`,
  '# health: /',
];

/** A command as YAML reads it back: what could mean something else is quoted. */
function scalar(command: string): string {
  return /^[A-Za-z][\w./=@+,-]*(?: [\w./=@+,:-]*[\w./=@+,-])*$/.test(command) ? command : JSON.stringify(command);
}

const NOTE = '   # not seen to work: ';
const NOTED = new RegExp(`^( {2}# runner: \\S+${NOTE}).*$`, 'm');

/** Whether a text is a guess of before that waits for its runner, and that nobody has changed since. */
export function isUnfinished(text: string, names: readonly string[], guesses: readonly ShownTests[]): boolean {
  const bare = text.replace(NOTED, '$1');
  return guesses.some((guess) => bare === guessedConfig(names, { ...guess, unseen: '' }));
}
