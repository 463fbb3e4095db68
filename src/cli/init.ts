/** `loopwright init`: tries what it guesses, and writes configuration, workflows and actions into a checkout; people review and push them. */
import { existsSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type TestSetups, testSetupsIn } from '../context/test-setup.ts';
import { UsageError } from '../errors.ts';
import { CONFIG_PATH } from '../settings/config.ts';
import {
  type GuessedTests,
  guessedConfig,
  isUnfinished,
  type ShownTests,
  usualTests,
} from '../settings/guessed-config.ts';
import { labelsIn } from '../settings/machine-labels.ts';
import { PLACE_FORMS } from '../settings/own-file.ts';
import { packageFile } from '../settings/package-root.ts';
import { type Server, type SetupFile, writeSetup } from '../settings/setup-files.ts';
import { originHost } from '../trees/checkout.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { commandLine } from './command-line.ts';
import { triedTests } from './init-trial.ts';

const OPTIONS = {
  force: {
    type: 'boolean',
    description: 'overwrite files that differ, the configuration too, but not the set-up action, which is yours',
  },
  runner: {
    type: 'string',
    value: 'NAME',
    description: 'write this runner as it is said, and try nothing',
  },
  'enterprise-server': {
    type: 'boolean',
    description:
      'write the workflows for a GitHub Enterprise Server, which has older actions for artifacts (default: where `origin` is on one)',
  },
  'runs-on': {
    type: 'string',
    value: 'LABELS',
    description:
      'have the jobs run on machines with these labels, as `self-hosted,linux,arm64` (default: ubuntu-latest)',
  },
} as const;

export const init: Command = {
  summary:
    'write .github/loopwright.yml, the two workflows with their action and the set-up action into a checkout, after trying in the sandbox what is guessed of its tests',
  usage: '[DIRECTORY] [--runner NAME] [--runs-on LABELS] [--enterprise-server] [--force]',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values, positionals } = optionsOf({ command: 'init', argv, options: OPTIONS, words: 1 });
    const directory = resolve(positionals[0] ?? '.');
    const refusal = refusalOf(directory, positionals[0] !== undefined);
    if (refusal !== undefined) return terminal.fail(refusal);
    const { out } = terminal;
    const force = values.force === true;
    const runsOn = machinesIn(values['runs-on']);
    const setups = await testSetupsIn(directory);
    const named = values.runner === undefined ? undefined : namedIn(setups, values.runner);
    out(`In ${directory}:`);
    const tests = named ?? (await guessedTests({ directory, force, setups }, terminal));
    if (named !== undefined) out(`not tried  ${named.runner}, as you named it, and ${named.test}`);
    const server = await serverOf(directory, values['enterprise-server'] === true, out);
    const files = await writeSetup(directory, { force, tests, guesses: setups.all, runsOn, server });
    const width = Math.max(...files.map(({ path }) => path.length));
    for (const { path, state } of files) out(`  ${path.padEnd(width)}  ${STATES[state]}`);
    for (const { path, setBack } of files)
      for (const { key, job } of setBack)
        out(`${path} lost its \`${key}\` of the job \`${job}\`: say it again, in one line (${PLACE_FORMS[key]}).`);
    for (const line of closingOf(files, tests)) out(line);
    return 0;
  },
};

function refusalOf(directory: string, isNamed: boolean): string | undefined {
  if (!isNamed && realpathSync(directory) === realpathSync(packageFile()))
    return `${directory} is Loopwright's own checkout; name the one that it shall work on, as in \`${commandLine('init', '../shop')}\`.`;
  if (!existsSync(join(directory, '.git')))
    return `${directory} is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.`;
  return undefined;
}

/** By what is said, or else by where `origin` is. */
async function serverOf(directory: string, isSaid: boolean, out: Terminal['out']): Promise<Server> {
  if (isSaid) return 'enterprise-server';
  const host = await originHost(directory);
  if (host === undefined || !/\./.test(host) || OTHERS.test(host)) return 'github.com';
  out(`for        a GitHub Enterprise Server, as origin is on ${host}`);
  return 'enterprise-server';
}

/** GitHub's own, and this machine. */
const OTHERS = /(?:^|\.)(?:github\.com|ghe\.com|localhost)$|^127\./;

/** @throws {UsageError} where there is no such runner, or only people know its command. */
function namedIn({ all }: TestSetups, name: string): ShownTests {
  const found = all.find(({ runner }) => runner === name);
  if (found !== undefined) return found;
  const known = all.map(({ runner }) => runner).join(' or ');
  if (name !== 'junit') throw new UsageError(`There is no runner "${name}"; say ${known}.`);
  throw new UsageError(
    `The runner junit needs a command that nobody can guess; run init without --runner, and write \`runner: junit\` and \`junit:\` into ${CONFIG_PATH}.`,
  );
}

/** @throws {UsageError} where one is no label. */
function machinesIn(given: string | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const read = labelsIn(given);
  if ('labels' in read) return read.labels;
  throw new UsageError(
    `"${read.wrong}" is no label of a machine; name those of yours with a comma between, as self-hosted,linux.`,
  );
}

interface Guessing {
  readonly directory: string;
  readonly force: boolean;
  readonly setups: TestSetups;
}

/** What is there and would be left as it is is not tried. */
async function guessedTests({ directory, force, setups }: Guessing, terminal: Terminal): Promise<GuessedTests> {
  const names = await readdir(directory);
  const [first = usualTests(names), ...others] = setups.shown;
  const path = join(directory, CONFIG_PATH);
  const before = existsSync(path) && !force ? await readFile(path, 'utf8') : undefined;
  if (before === undefined || isUnfinished(before, names, setups.all))
    return triedTests(directory, [first, ...others], terminal);
  return setups.all.find((guess) => guessedConfig(names, guess) === before) ?? first;
}

const STATES = {
  written: 'written',
  overwritten: 'overwritten',
  renewed: 'written anew, as nobody had changed it',
  same: 'is as it should be',
  differs: 'differs, left as it is; --force overwrites it',
} as const satisfies Record<SetupFile['state'], string>;

function closingOf(files: readonly SetupFile[], { runner, unseen }: GuessedTests): readonly string[] {
  const config = files.find(({ path }) => path === CONFIG_PATH)?.state;
  if (unseen !== undefined && config !== 'differs')
    return [`No loop can start yet: \`# runner: ${runner}\` in ${CONFIG_PATH} is a comment, because ${unseen}.`];
  if (files.every(({ state }) => state === 'same')) return ['Everything is there already.'];
  if (files.every(({ state }) => state === 'same' || state === 'differs')) return ['Nothing was written.'];
  return [`Look the commands in ${CONFIG_PATH} over, then commit and push these files to the default branch.`];
}
