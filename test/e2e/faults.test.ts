/** Whole loops on a GitHub that fails, each fault in every phase in which it can occur: each ends as one without a fault. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Loop } from '../../src/loop/loop.ts';
import { walked } from './acts.ts';
import { FAULT_ROWS, type FaultRow } from './fault-rows.ts';
import { type Left, leftBy } from './left.ts';
import { createHurriedTime } from './virtual-time.ts';
import { withoutMistake } from './without-mistake.ts';
import { startWorld, type World } from './world.ts';

/** The App's pauses between two tries are tried elsewhere; here each takes a sixtieth of its time. */
const pause = (milliseconds: number): Promise<void> => sleep(milliseconds / 60);

const told = z.object({
  faults: z.array(z.object({ id: z.int(), struck: z.int(), struckBy: z.record(z.string(), z.int()) })),
});

interface Walk {
  readonly left: Left;
  /** How often the fault struck, by phase. */
  readonly struck: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

async function walkUnder({ inPhase = [], always = [] }: Partial<FaultRow>): Promise<Walk> {
  let world: World | undefined;
  const asked = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${world?.github.url}/_local/faults${path}`, {
      method,
      headers: { authorization: 'Bearer maria-token' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} /_local/faults: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const struck = new Map<string, Readonly<Record<string, number>>>();
  let phase = 'START';
  let rearming = Promise.resolve();
  const keep = async (phase: string): Promise<void> => {
    const { faults } = told.parse(await asked('GET', ''));
    const counts = new Map(Object.entries(struck.get(phase) ?? {}));
    for (const [kind, count] of faults.flatMap(({ struckBy }) => Object.entries(struckBy)))
      counts.set(kind, (counts.get(kind) ?? 0) + count);
    struck.set(phase, Object.fromEntries(counts));
  };
  const rearm = async (before: string): Promise<void> => {
    await keep(before);
    await asked('DELETE', '');
    for (const fault of inPhase) await asked('POST', '', fault);
  };
  const watch = async (loop: Loop): Promise<void> => {
    const now = `${loop.phase} ${loop.entry}`;
    if (inPhase.length === 0 || now === phase) return;
    const before = phase;
    phase = now;
    rearming = rearming.then(() => rearm(before));
    await rearming;
  };
  const time = createHurriedTime(() => world?.github.url ?? '');
  world = await startWorld({ script: withoutMistake, watch, pause, time });
  try {
    for (const fault of [...inPhase, ...always]) await asked('POST', '', fault);
    const { ref } = await walked(world);
    await keep(phase);
    await asked('DELETE', '');
    return { left: await leftBy(world, ref.issue), struck };
  } finally {
    await world.close();
  }
}

let unharmed: Left;
beforeAll(async () => {
  unharmed = (await walkUnder({})).left;
  expect(unharmed.status).toBe('succeeded');
});

const table: string[] = [];
afterAll(() => {
  if (process.env.FAULT_TABLE) writeFileSync(process.env.FAULT_TABLE, table.join('\n'));
});

describe('a whole loop under', () => {
  it.concurrent.each(FAULT_ROWS)(
    '$case ends as one without',
    async (row) => {
      const begunMs = Date.now();
      const { left, struck } = await walkUnder(row);
      for (const [phase, kinds] of struck)
        table.push(`${row.case} | ${phase} | ${Object.values(kinds).reduce((sum, count) => sum + count, 0)}`);
      table.push(`${row.case} | ${Math.round((Date.now() - begunMs) / 1000)} s`);
      expect(left).toEqual(unharmed);
    },
    // A start of a run that GitHub never answers is looked for over a minute, in each phase; the rows wait beside each other.
    1_200_000,
  );
});
