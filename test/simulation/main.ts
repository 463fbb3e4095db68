/** `npm run simulate -- --seeds N [--from S] [--json] [--all] [--first]`: which worlds break which sentence, and how to see it again. */
import { parseArgs } from 'node:util';
import { runSeeds } from './runner.ts';
import type { Outcome } from './simulate.ts';

const SHOWN_EVENTS = 40;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    /** Goes on within a seed after the first broken sentence. */
    all: { type: 'boolean', default: false },
    /** Ends with the first seed that fails. */
    first: { type: 'boolean', default: false },
  },
});
const [seeds, from] = [values.seeds, values.from].map(Number);
if (seeds === undefined || from === undefined || !Number.isInteger(seeds) || !Number.isInteger(from) || seeds < 1)
  throw new RangeError(`--seeds ${values.seeds} --from ${values.from}: both are whole numbers, and at least one seed.`);

const startedAt = performance.now();
const done: Outcome[] = [];
const outcomes = await runSeeds({
  from,
  seeds,
  all: values.all,
  untilFailure: values.first,
  onOutcome(outcome) {
    done.push(outcome);
    if (process.stderr.isTTY) process.stderr.write(`\r${progress(done, seeds)}`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\n');
const failed = outcomes.filter(({ failures }) => failures.length > 0);
process.stdout.write(values.json ? `${JSON.stringify(jsonOf(outcomes), null, 2)}\n` : textOf(outcomes, failed));
process.exitCode = failed.length === 0 ? 0 : 1;

function progress(sofar: readonly Outcome[], all: number): string {
  const broken = sofar.filter(({ failures }) => failures.length > 0).length;
  return `${sofar.length} of ${all} seeds, ${broken} failed, ${seconds()} s`;
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}

function replayOf({ seed }: Outcome): string {
  return `npm run simulate -- --seeds 1 --from ${seed}`;
}

function textOf(all: readonly Outcome[], broken: readonly Outcome[]): string {
  const last = all.at(-1)?.seed ?? 0;
  const hours = Math.round(all.reduce((sum, { simulatedHours }) => sum + simulatedHours, 0));
  const counts = Map.groupBy(
    broken.flatMap(({ seed, failures }) => failures.map((failure) => ({ seed, ...failure }))),
    ({ invariant }) => invariant,
  );
  const shown = broken.length <= 3 ? broken : broken.slice(0, 1);
  return [
    ...shown.flatMap((outcome) => [
      `Seed ${outcome.seed}:`,
      ...outcome.failures.map(({ sentence, detail }) => `  ✗ ${sentence}\n    ${detail}`),
      ...outcome.trace.slice(-(all.length === 1 ? outcome.trace.length : SHOWN_EVENTS)).map((line) => `    ${line}`),
      `  Again: ${replayOf(outcome)}`,
    ]),
    ...[...counts].map(
      ([name, found]) =>
        `✗ ${name}: ${found.length} ${found.length === 1 ? 'seed' : 'seeds'} (${found
          .slice(0, 8)
          .map(({ seed }) => seed)
          .join(', ')}${found.length > 8 ? ', …' : ''})`,
    ),
    `${all.length} seeds (${all[0]?.seed ?? 0} to ${last}), ${hours} simulated hours, ${broken.length} failed, ${seconds()} s.`,
    '',
  ].join('\n');
}

function jsonOf(all: readonly Outcome[]) {
  return {
    from,
    seeds: all.length,
    seconds: seconds(),
    failed: all
      .filter(({ failures }) => failures.length > 0)
      .map((outcome) => ({ seed: outcome.seed, failures: outcome.failures, replay: replayOf(outcome) })),
  };
}
