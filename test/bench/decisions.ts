/** What a decision costs where 10 and where 10,000 loops are stored: look-ups, one event and its save, alternating so that both see the same machine. */
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { apply } from '../../src/engine/advance.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { Store } from '../../src/ports.ts';
import { elapsed, loopOf, reviewIn, saveOf, startedOn } from '../adapters/loops.ts';
import { median } from './median.ts';

const FEW = 10;
const MANY = 10_000;
const ROUNDS = 150;
const REPOSITORIES = 20;
const head = 'a'.repeat(40);
const base = { branch: 'main', sha: 'b'.repeat(40) };
const slots = { overall: 1e6, installation: 1e6, repository: 1e6 };
const by = { id: 1, login: 'maria', type: 'User' as const };

/** As large as a loop in the midst of its work; one in ten is open. */
function loopNumber(index: number): Loop {
  const status = index % 10 === 0 ? 'working' : 'succeeded';
  const context = Array.from({ length: 40 }, (_, line) => `${line} ${'what the next step should know '.repeat(8)}`);
  const ref = { issue: index, repositoryId: 1 + (index % REPOSITORIES) };
  return loopOf(ref, {
    status,
    phase: 'SHIP',
    entry: 9,
    context,
    started: { ...startedOn(`loopwright/${index}`), base },
    // A head of its own, so that few wait for the same checks.
    review: { ...reviewIn(index), head: index.toString(16).padStart(40, '0') },
  });
}

interface Filled {
  readonly engine: Engine;
  readonly store: Store;
}

async function filled(url: string, loops: number): Promise<Filled> {
  const engine = await openEngine({ url });
  const store = createStore(engine);
  for (let index = 0; index < loops; index += 1) {
    await store.save(saveOf(loopNumber(index), 0, { event: elapsed(1) }));
  }
  return { engine, store };
}

/** A webhook's look-ups, a command's load, decision and save, and what the patrol asks. */
async function decide(store: Store, round: number): Promise<void> {
  const { ref } = loopNumber(0);
  await store.byBranch(ref.repositoryId, 'loopwright/none');
  await store.awaitingChecks(ref.repositoryId, head);
  const event: Event = {
    type: 'commanded',
    at: new Date().toISOString(),
    by,
    role: 'write',
    commentId: round,
    command: 'status',
    argument: '',
    permitted: true,
    createdAt: '2026-01-02T03:04:05Z',
  };
  await apply(ref, event, { store, slots });
}

export interface DecisionCost {
  readonly fewMs: number;
  readonly manyMs: number;
  readonly ratio: number;
}

/** `urls` are two empty databases. */
export async function decisionCost([few, many]: readonly [string, string]): Promise<DecisionCost> {
  const [small, large] = [await filled(few, FEW), await filled(many, MANY)];
  const costs: { readonly small: number[]; readonly large: number[] } = { small: [], large: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [key, { store }] of [
      ['small', small],
      ['large', large],
    ] as const) {
      const startedMs = performance.now();
      await decide(store, round);
      costs[key].push(performance.now() - startedMs);
    }
  }
  await Promise.all([small.engine.close(), large.engine.close()]);
  const [fewMs, manyMs] = [median(costs.small), median(costs.large)];
  return { fewMs, manyMs, ratio: manyMs / fewMs };
}
