/** `npm run simulate`: which worlds break which sentence, and how to see it again. */
import { availableParallelism } from 'node:os';
import { type Command, runCommand, wholeNumber } from '../command-line.ts';
import { jsonOf, progressOf, textOf } from './report.ts';
import { runSeeds } from './runner.ts';
import { counted, emptyTally, hollowness, openTally, type Tally, writeTally } from './tally.ts';

/** Where nobody looks on, progress is told so often. */
const QUIET_MS = 30_000;

const COMMAND = {
  typed: 'npm run simulate --',
  purpose:
    'Runs the App in hostile worlds on virtual time, each made from a seed, and says which of them break a promise.',
  options: {
    seeds: { value: 'N', meaning: 'how many worlds; 100 unless told otherwise' },
    from: { value: 'S', meaning: 'the first seed; 1 unless told otherwise' },
    state: {
      value: 'FILE',
      meaning: 'keeps what is done: the same command goes on after Ctrl-C; begin a new file when the code changed',
    },
    threads: { value: 'N', meaning: 'how many worlds at a time; one for each core unless told otherwise' },
    first: { meaning: 'ends with the first seed that fails' },
    all: { meaning: 'goes on within a seed after the first broken sentence' },
    json: { meaning: 'writes JSON' },
  },
} as const satisfies Command<string>;

process.exitCode = await runCommand(COMMAND, process.argv.slice(2), async (given) => {
  const seeds = wholeNumber('seeds', given.seeds, { least: 1, otherwise: 100 });
  const from = wholeNumber('from', given.from, { least: 0, otherwise: 1 });
  const threads = wholeNumber('threads', given.threads, { least: 1, otherwise: availableParallelism() });
  const file = typeof given.state === 'string' ? given.state : undefined;
  const kept = file === undefined ? emptyTally(from) : await openTally(file, from);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const tally = await simulated(kept, {
    ...{ seeds, threads, all: given.all === true, untilFailure: given.first === true, file },
    tell: teller((sofar) => progressOf(sofar, { seeds, seconds: seconds() })),
  });
  process.stdout.write(given.json === true ? jsonOf(tally, seconds()) : textOf(tally, seconds()));
  return tally.failed.length === 0 && hollowness(tally) === undefined ? 0 : 1;
});

interface Simulating {
  readonly seeds: number;
  readonly threads: number;
  readonly all: boolean;
  readonly untilFailure: boolean;
  readonly file: string | undefined;
  readonly tell: (sofar: Tally, isLast: boolean) => void;
}

async function simulated(kept: Tally, { file, tell, seeds, ...how }: Simulating): Promise<Tally> {
  let tally = kept;
  let written = Promise.resolve();
  const left = seeds - kept.done;
  if (left > 0)
    await runSeeds({
      ...how,
      from: kept.from + kept.done,
      seeds: left,
      onOutcome(outcome) {
        tally = counted(tally, outcome);
        const now = tally;
        if (file !== undefined) written = written.then(() => writeTally(file, now));
        tell(tally, tally.done === seeds);
      },
    });
  await written;
  return tally;
}

/** On a terminal one line that is written over; elsewhere a line now and then. */
function teller(textOfProgress: (sofar: Tally) => string): Simulating['tell'] {
  const { stderr } = process;
  let toldAt = performance.now();
  return (sofar, isLast) => {
    if (stderr.isTTY) stderr.write(`\r${textOfProgress(sofar)}${isLast ? '\n' : ''}`);
    else if (performance.now() - toldAt >= QUIET_MS) {
      toldAt = performance.now();
      stderr.write(`${textOfProgress(sofar)}\n`);
    }
  };
}
