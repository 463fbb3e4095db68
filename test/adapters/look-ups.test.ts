import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { shippedBy } from '../../src/loop/shipping.ts';
import type { Store } from '../../src/ports.ts';
import { MEMORY } from '../prepared.ts';
import { loopOf, reviewIn, saveOf, startedOn } from './loops.ts';

const HEAD = 'a'.repeat(40);
const shipping = shippedBy(undefined);
let engine: Engine;
let store: Store;
beforeAll(async () => {
  engine = await openEngine({ url: MEMORY });
  store = createStore(engine);
  for (let issue = 1; issue <= 400; issue += 1) {
    const status = issue % 100 === 0 ? 'working' : issue % 100 === 50 ? 'succeeded' : 'stopped';
    const head = { ...reviewIn(issue), head: issue === 100 ? HEAD : issue.toString(16).padStart(40, '0') };
    const started = { ...startedOn(`loopwright/${issue}`), base: { branch: `main-${issue}`, sha: HEAD } };
    await store.save(saveOf(loopOf({ repositoryId: 7, issue }, { status, started, review: head, shipping }), 0));
  }
  await sql`analyze loops`.execute(engine.db);
});
afterAll(() => engine.close());

const one = async (query: RawBuilder<{ count: number }>) => (await query.execute(engine.db)).rows[0]?.count ?? 0;
const usesOf = async (index: string) => {
  await sql`select pg_stat_force_next_flush()`.execute(engine.db);
  return one(sql`select idx_scan::int as count from pg_stat_user_indexes where indexrelname = ${index}`);
};
const scans = async () => {
  await sql`select pg_stat_force_next_flush()`.execute(engine.db);
  return one(sql`select seq_scan::int as count from pg_stat_user_tables where relname = 'loops'`);
};

it.each([
  ['the head of which a check is told', 'loops_open_head', () => store.awaitingChecks(7, HEAD)],
  ['the base to which somebody pushed', 'loops_open_base', () => store.onBase(7, 'main-200')],
  ['a base, awaiting their merge,', 'loops_awaiting_merge', () => store.awaitingMerge(7, 'main-250')],
])('the loops on %s are found by %s, and no other loop is read', async (_, index, look) => {
  const before = [await usesOf(index), await scans()] as const;
  expect(await look()).toHaveLength(1);
  expect([await usesOf(index), await scans()]).toEqual([before[0] + 1, before[1]]);
});
