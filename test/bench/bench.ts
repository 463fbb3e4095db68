/**
 * `npm run bench`: webhooks beside a bare Probot with an empty handler in the same run, what a decision costs among few and many loops, and what the
 * slowest texts cost beside plain ones.
 * Only ratios and goals within one run mean anything: machines differ, and this one may be busy.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { optionsOrEnd } from '../command-line.ts';
import { startPostgres } from '../machine/postgres-server.ts';
import { type DecisionCost, decisionCost } from './decisions.ts';
import { median } from './median.ts';
import { type Load, load, type Served, serve } from './processes.ts';
import { costOf, PLAIN, READERS, SLOW } from './texts.ts';

const json = optionsOrEnd({
  typed: 'npm run bench --',
  purpose: 'Measures webhooks beside a bare Probot, and what a decision costs among few and many loops.',
  options: { json: { meaning: 'one JSON array instead of text' } },
  read: (given) => given.json === true,
});
const BURST = 2000;
const ROUNDS = 5;
const STEADY = { count: 1000, perSecond: 50 };
const GOALS = { PostgreSQL: 0.3, PGlite: 0.1 } as const;

interface Result {
  readonly database: string;
  readonly steady: Pick<Load, 'p50Ms' | 'p99Ms'>;
  readonly burstPerSecond: number;
  readonly barePerSecond: number;
  readonly ratio: number;
  readonly goal: number;
  readonly lost: number;
  readonly decision: DecisionCost;
}

const say = (line: string): void => {
  if (!json) process.stdout.write(`${line}\n`);
};

/** Every webhook of a load that is not found again, or was not answered with 200. */
async function lostOf(served: Served, { prefix, count, failed }: Load): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const { stored, taken } = await served.known(prefix, count);
    if (taken === count || tries === 60) return Math.max(count - stored, count - taken, failed);
    await delay(1000);
  }
}

/** The two take turns, so that both see the same machine. */
async function compare(database: keyof typeof GOALS, url: string, empty: readonly [string, string]): Promise<Result> {
  const [bare, served] = [await serve('bare'), await serve(url)];
  for (const one of [bare, served]) await load(one, BURST);
  const rounds: { readonly bare: Load; readonly burst: Load }[] = [];
  let lost = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const burst = await load(served, BURST);
    lost += await lostOf(served, burst);
    rounds.push({ burst, bare: await load(bare, BURST) });
  }
  const steady = await load(served, STEADY.count, STEADY.perSecond);
  lost += await lostOf(served, steady);
  await Promise.all([bare.stop(), served.stop()]);
  return {
    database,
    steady,
    burstPerSecond: median(rounds.map(({ burst }) => burst.perSecond)),
    barePerSecond: median(rounds.map(({ bare }) => bare.perSecond)),
    ratio: median(rounds.map(({ burst, bare }) => burst.perSecond / bare.perSecond)),
    goal: GOALS[database],
    lost,
    decision: await decisionCost(empty),
  };
}

function tell({ database, steady, burstPerSecond, barePerSecond, ratio, goal, lost, decision }: Result): void {
  const mark = (holds: boolean): string => (holds ? 'holds' : 'MISSED');
  say(`${database}`);
  say(
    `  steady at ${STEADY.perSecond}/s   p50 ${steady.p50Ms.toFixed(1)} ms, p99 ${steady.p99Ms.toFixed(1)} ms (goal ≤ 50: ${mark(steady.p99Ms <= 50)})`,
  );
  say(
    `  bursts of ${BURST}   ${burstPerSecond.toFixed(0)}/s beside ${barePerSecond.toFixed(0)}/s of a bare Probot: ${ratio.toFixed(3)} (goal ≥ ${goal}: ${mark(ratio >= goal)})`,
  );
  say(`  lost             ${lost} (goal 0: ${mark(lost === 0)})`);
  say(
    `  a decision       ${decision.fewMs.toFixed(2)} ms among 10 loops, ${decision.manyMs.toFixed(2)} ms among 10,000: ${decision.ratio.toFixed(2)} (goal ≤ 1.2: ${mark(decision.ratio <= 1.2)})`,
  );
}

const MOST_TEXT_MS = 50;

/** The slowest text of each reader. */
function tellTexts(): void {
  say('texts of 65 kB');
  for (const [name, read] of Object.entries(READERS)) {
    const plainMs = costOf(read, PLAIN);
    const costs = Object.entries(SLOW).map(([what, text]) => ({ what, ms: costOf(read, text) }));
    const { what, ms } = costs.reduce((one, other) => (other.ms > one.ms ? other : one));
    say(
      `  ${name.padEnd(16)} ${ms.toFixed(1)} ms for ${what}, ${(ms / plainMs).toFixed(1)} × plain text (goal ≤ ${MOST_TEXT_MS} ms: ${ms <= MOST_TEXT_MS ? 'holds' : 'MISSED'})`,
    );
  }
}

say(
  `${ROUNDS} rounds, medians; 16 connections from a process of its own; a webhook counts when it is stored and answered.\n`,
);
const directory = mkdtempSync(join(tmpdir(), 'loopwright-bench-'));
const postgres = await startPostgres();
try {
  const at = (name: string): string => join(directory, name);
  const databases = [1, 2, 3].map(() => postgres.createDatabase());
  const [url = '', few = '', many = ''] = await Promise.all(databases);
  const results = [
    await compare('PGlite', at('served'), [at('few'), at('many')]),
    await compare('PostgreSQL', url, [few, many]),
  ];
  for (const result of results) tell(result);
  tellTexts();
  // Times are for people to judge; a webhook that is lost is a fault on any machine.
  if (results.some(({ lost }) => lost > 0)) process.exitCode = 1;
  if (json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
