/** What a simulation tells of many seeds, for people and for programs. */
import { hollowness, type Tally } from './tally.ts';

const SHOWN_EVENTS = 40;
type Failed = Tally['failed'][number];

export function replayOf(seed: number): string {
  return `npm run simulate -- --seeds 1 --from ${seed}`;
}

export function progressOf({ done, failed }: Tally, { seeds, seconds }: { seeds: number; seconds: number }): string {
  return `${done} of ${seeds} seeds, ${failed.length} failed, ${Math.round(seconds)} s`;
}

export function textOf(tally: Tally, seconds: number): string {
  const { from, done, failed, simulatedHours } = tally;
  const shown = failed.length <= 3 ? failed : failed.slice(0, 1);
  return [
    ...shown.flatMap((one) => linesOf(one, done === 1 ? Number.POSITIVE_INFINITY : SHOWN_EVENTS)),
    ...countsOf(failed),
    ...hollowOf(tally),
    `Loops: ${endsOf(tally)}.`,
    `${done} seeds (${from} to ${from + done - 1}), ${Math.round(simulatedHours)} simulated hours, ${failed.length} failed, ${Math.round(seconds)} s.`,
    '',
  ].join('\n');
}

function linesOf({ seed, failures, trace }: Failed, most: number): readonly string[] {
  return [
    `Seed ${seed}:`,
    ...failures.map(({ sentence, detail }) => `  ✗ ${sentence}\n    ${detail}`),
    ...trace.slice(-Math.min(trace.length, most)).map((line) => `    ${line}`),
    `  Again: ${replayOf(seed)}`,
  ];
}

/** `✗ no-line-lost: 2 seeds (4, 17)` */
function countsOf(failed: readonly Failed[]): readonly string[] {
  const broken = failed.flatMap(({ seed, failures }) => failures.map(({ invariant }) => ({ seed, invariant })));
  return [...Map.groupBy(broken, ({ invariant }) => invariant)].map(([name, found]) => {
    const seeds = found.slice(0, 8).map(({ seed }) => seed);
    const more = found.length > seeds.length ? ', …' : '';
    return `✗ ${name}: ${found.length} ${found.length === 1 ? 'seed' : 'seeds'} (${seeds.join(', ')}${more})`;
  });
}

/** `30 succeeded in REFLECT, 4 stopped in BUILD` */
function endsOf({ ends }: Tally): string {
  const most = Object.entries(ends).toSorted(([, one], [, other]) => other - one);
  return most.length === 0 ? 'none' : most.map(([end, count]) => `${count} ${end}`).join(', ');
}

function hollowOf(tally: Tally): readonly string[] {
  const hollow = hollowness(tally);
  return hollow === undefined ? [] : [`✗ ${hollow}`];
}

export function jsonOf(tally: Tally, seconds: number): string {
  const { from, done, failed, ends } = tally;
  const told = failed.map(({ seed, failures }) => ({ seed, failures, replay: replayOf(seed) }));
  return `${JSON.stringify({ from, seeds: done, seconds: Math.round(seconds), ends, hollow: hollowness(tally), failed: told }, null, 2)}\n`;
}
