/**
 * `npm run soak`: loops one after another, then many at once, on PGlite and PostgreSQL; then everything that may be
 * forgotten is, and what is left must not have grown with the number of loops but by the loops themselves.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { optionsOrEnd, wholeNumber } from '../command-line.ts';
import { startPostgres } from '../machine/postgres-server.ts';
import { openSoak, type Soaked, type SoakStage } from './stage.ts';

const { json, loops, atOnce } = optionsOrEnd({
  typed: 'npm run soak --',
  purpose:
    'Runs loops one after another, then many at once, on PGlite and PostgreSQL, and tells what they leave behind.',
  options: {
    loops: { value: 'N', meaning: 'how many one after another; 200 unless told otherwise' },
    'at-once': { value: 'N', meaning: 'how many at once, after them; 20 unless told otherwise' },
    json: { meaning: 'one JSON array instead of text' },
  },
  read: (given) => ({
    json: given.json === true,
    loops: wholeNumber('loops', given.loops, { least: 1, otherwise: 200 }),
    atOnce: wholeNumber('at-once', given['at-once'], { least: 1, otherwise: 20 }),
  }),
});

/** What is there when everything that may be forgotten is forgotten. */
interface Remains {
  readonly rows: Readonly<Record<string, number>>;
  readonly databaseMb: number;
  readonly heapMb: number;
  readonly files: number;
}

const say = (line: string): void => {
  if (!json) process.stdout.write(`${line}\n`);
};

async function remainsOf(engine: Engine, { store }: SoakStage, directory: string | undefined): Promise<Remains> {
  const soon = new Date(Date.now() + 1e12).toISOString();
  const then = { deliveriesBefore: soon, logsBefore: soon, blobsBefore: soon };
  await store.forget(then);
  await sql`vacuum`.execute(engine.db);
  const count = async (from: string): Promise<number> =>
    (await sql<{ count: number }>`select count(*)::int as count from ${sql.raw(from)}`.execute(engine.db)).rows[0]
      ?.count ?? -1;
  const rows = {
    loops: await count('loops'),
    log: await count('loop_log'),
    deliveries: await count('deliveries'),
    blobs: await count('blobs'),
    'blobs that no loop names': await count('blobs where digest not in (select digest from loop_blobs)'),
    'items not finished': await count(`pgboss.job where state < 'completed'`),
    'timers of ended loops': await count(`pgboss.job where singleton_key like 'elapse %'`),
    'missed webhooks': await count('missed_deliveries'),
  };
  const size = await sql<{ size: string }>`select pg_database_size(current_database())::text as size`.execute(
    engine.db,
  );
  globalThis.gc?.();
  return {
    rows,
    databaseMb: Number(size.rows[0]?.size) / 1e6,
    heapMb: process.memoryUsage().heapUsed / 1e6,
    files: directory === undefined ? 0 : readdirSync(directory, { recursive: true }).length,
  };
}

/** What must hold between the first quarter, after which everything is warm, and the end. */
function problemsOf(early: Remains, late: Remains, soaked: readonly Soaked[]): readonly string[] {
  const loops = (late.rows.loops ?? 0) - (early.rows.loops ?? 0);
  const gone = [
    'log',
    'deliveries',
    'blobs that no loop names',
    'items not finished',
    'timers of ended loops',
    'missed webhooks',
  ];
  const rules: readonly (readonly [boolean, string])[] = [
    ...gone.map((name) => [late.rows[name] === 0, `${late.rows[name]} rows of ${name} are left`] as const),
    [
      late.databaseMb - early.databaseMb < 2 + loops * 0.25,
      `the database grew by ${(late.databaseMb - early.databaseMb).toFixed(1)} MB for ${loops} loops`,
    ],
    [
      late.heapMb < early.heapMb * 1.25 + 16,
      `the heap grew from ${early.heapMb.toFixed(0)} to ${late.heapMb.toFixed(0)} MB`,
    ],
    [late.files < early.files + 100, `files grew from ${early.files} to ${late.files}`],
    [soaked.every(({ ends }) => !ends.includes('not ended')), 'a loop did not end'],
    // What stops early leaves little behind.
    [wholeIn(soaked) >= 0.5, `only ${(wholeIn(soaked) * 100).toFixed(0)} in 100 loops came to their end`],
    [soaked.every(({ most, slots }) => most <= slots), 'more loops ran than may'],
  ];
  return rules.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}

/** Of all loops, those that went through every phase. */
function wholeIn(soaked: readonly Soaked[]): number {
  const ends = soaked.flatMap((one) => one.ends);
  return ends.filter((end) => end === 'succeeded').length / ends.length;
}

async function soak(database: string, url: string, directory: string | undefined) {
  const startedMs = performance.now();
  const engine = await openEngine({ url });
  const stage = await openSoak(engine);
  const soaked: Soaked[] = [];
  let early: Remains | undefined;
  for (let loop = 1; loop <= loops; loop += 1) {
    soaked.push(await stage.run(1));
    if (loop === Math.ceil(loops / 4)) early = await remainsOf(engine, stage, directory);
    if (loop % 20 === 0) say(`${database}: ${loop} loops, ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  soaked.push(await stage.run(atOnce));
  const late = await remainsOf(engine, stage, directory);
  await stage.close();
  await engine.close();
  const ends = Map.groupBy(
    soaked.flatMap(({ ends }) => ends),
    (end) => end,
  );
  const result = {
    database,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    simulatedHours: Math.round(soaked.reduce((sum, { simulatedHours }) => sum + simulatedHours, 0)),
    ends: Object.fromEntries([...ends].map(([end, all]) => [end, all.length])),
    mostAtOnce: soaked.at(-1)?.most,
    early,
    late,
    problems: problemsOf(early ?? late, late, soaked),
  };
  say(JSON.stringify(result, undefined, 2));
  return result;
}

const directory = mkdtempSync(join(tmpdir(), 'loopwright-soak-'));
const postgres = await startPostgres();
async function close(): Promise<void> {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.once('SIGINT', () => void close().finally(() => process.exit(130)));
try {
  const pglite = join(directory, 'database');
  const results = [
    await soak('PGlite', pglite, pglite),
    await soak('PostgreSQL', await postgres.createDatabase(), undefined),
  ];
  if (json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
  if (results.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
} finally {
  await close();
}
