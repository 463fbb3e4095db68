/** `npm run simulate:bugs`: plants each fault of `bugs/`, and says at which seed it was found. */
import { availableParallelism } from 'node:os';
import { type Command, runCommand, UsageError, wholeNumber } from '../command-line.ts';
import { bugNames, type Hunt, hunt, record } from './bugs.ts';

const COMMAND = {
  typed: 'npm run simulate:bugs --',
  purpose: 'Plants faults of old times, one after another, and says which world finds each of them.',
  options: {
    only: { value: 'NAME', meaning: 'one bug, as its patch in test/simulation/bugs is called' },
    seeds: { value: 'N', meaning: 'how many worlds look for it; 1000 unless told otherwise' },
    from: { value: 'S', meaning: 'the first seed; 1 unless told otherwise' },
    threads: { value: 'N', meaning: 'how many worlds at a time; one for each core unless told otherwise' },
    record: { meaning: 'writes the seed above the patch: test:e2e begins there' },
  },
} as const satisfies Command<string>;

process.exitCode = await runCommand(COMMAND, process.argv.slice(2), async (given) => {
  const ground = {
    seeds: wholeNumber('seeds', given.seeds, { least: 1, otherwise: 1000 }),
    from: wholeNumber('from', given.from, { least: 0, otherwise: 1 }),
    threads: wholeNumber('threads', given.threads, { least: 1, otherwise: availableParallelism() }),
  };
  const names = await chosen(given.only);
  let missed = 0;
  for (const name of names) {
    const found = await hunt(name, ground);
    if (found.seed === undefined) missed += 1;
    if (given.record === true) await record(found);
    process.stdout.write(lineOf(found, ground.seeds));
  }
  process.stdout.write(`${names.length} planted bugs, ${missed} missed.\n`);
  return missed === 0 ? 0 : 1;
});

async function chosen(only: string | true | undefined): Promise<readonly string[]> {
  const names = await bugNames();
  if (only === undefined) return names;
  const found = names.filter((name) => name === only);
  if (found.length > 0) return found;
  throw new UsageError(`--only ${only} is no planted bug; those are ${names.join(', ')}.`);
}

function lineOf({ bug, seed, sentence, detail }: Hunt, seeds: number): string {
  if (seed === undefined) return `✗ ${bug}: not found in ${seeds} seeds\n`;
  return `✓ ${bug}: seed ${seed}: ${sentence}\n    ${detail.split('\n')[0]}\n`;
}
