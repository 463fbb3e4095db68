/** `loopwright init`: writes configuration, workflows and the set-up action into a checkout; people review and push them. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testSetupIn } from '../context/test-setup.ts';
import { packageFile } from '../settings/package-root.ts';
import { type SetupFile, writeSetup } from '../settings/setup-files.ts';
import { type Command, optionsOf } from './command.ts';
import { commandLine } from './command-line.ts';

const OPTIONS = {
  force: { type: 'boolean', description: 'overwrite files that differ, the configuration too' },
} as const;

export const init: Command = {
  summary: 'write .github/loopwright.yml, the two workflows and the set-up action into a checkout',
  usage: '[DIRECTORY] [--force]',
  options: OPTIONS,
  async run(argv, { out, fail }) {
    const { values, positionals } = optionsOf({ command: 'init', argv, options: OPTIONS, words: 1 });
    const directory = resolve(positionals[0] ?? '.');
    if (positionals[0] === undefined && realpathSync(directory) === realpathSync(packageFile()))
      return fail(
        `${directory} is Loopwright's own checkout; name the one that it shall work on, as in \`${commandLine('init', '../shop')}\`.`,
      );
    if (!existsSync(join(directory, '.git')))
      return fail(
        `${directory} is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.`,
      );
    const files = await writeSetup(directory, { force: values.force === true, tests: await testSetupIn(directory) });
    const width = Math.max(...files.map(({ path }) => path.length));
    out(`In ${directory}:`);
    for (const { path, state } of files) out(`  ${path.padEnd(width)}  ${STATES[state]}`);
    out(closingOf(files));
    return 0;
  },
};

const STATES = {
  written: 'written',
  overwritten: 'overwritten',
  same: 'is as it should be',
  differs: 'differs, left as it is; --force overwrites it',
} as const satisfies Record<SetupFile['state'], string>;

function closingOf(files: readonly SetupFile[]): string {
  if (files.every(({ state }) => state === 'same')) return 'Everything is there already.';
  if (files.every(({ state }) => state === 'same' || state === 'differs')) return 'Nothing was written.';
  return 'Look the commands in .github/loopwright.yml over, then commit and push these files to the default branch.';
}
