/** A process that is killed over a draft: what it asked the model for counts, and the draft that begins again has only what is left. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadSkills } from '../../src/adapters/skills.ts';
import { apply, work } from '../../src/engine/advance.ts';
import { ModelError } from '../../src/errors.ts';
import type { ModelCall } from '../../src/loop/brief.ts';
import type { Purse } from '../../src/loop/costs.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { CallBook, Ports } from '../../src/ports.ts';
import { doors } from '../intake/door.ts';
import { command, REF } from '../loop/world.ts';
import { startedLoop } from '../render/loops.ts';

const openDoor = doors();
const PRICE = { prompt: 1000, completion: 1000 };
const context = { phase: 'REFLECT', skill: 'reflection', role: 'planner', attempt: 1 };
const usage = (tokens: number): ModelCall => ({ ...context, promptTokens: tokens, completionTokens: 0, durationMs: 1 });

/** A loop that drafts REFLECT, with 3 USD, and a model that is killed where `killed` says so. */
async function drafting() {
  const door = await openDoor();
  const loop = asStarted(startedLoop());
  const started = { ...loop.started, price: PRICE, limits: { ...loop.started.limits, usd: 3 } };
  const pending = [{ type: 'draft' as const, key: 'd', phase: 'REFLECT' as const, entry: loop.entry }];
  const spent = { calls: 0, callsOutsideBuild: 0, promptTokens: 0, completionTokens: 0, usd: 0 };
  await door.keep({ ...loop, ref: REF, spent, status: 'working', phase: 'REFLECT', started, pending });
  const purses: (number | undefined)[] = [];
  const round = async (asked: (book: CallBook) => Promise<never>) => {
    const answer = ({ purse, book }: { purse?: Purse | undefined; book?: CallBook | undefined }) => {
      purses.push(purse?.money?.usd);
      return book === undefined ? Promise.reject(new Error('no book')) : asked(book);
    };
    const ports: Ports = {
      ...door.ports,
      skills: new Map([...(await loadSkills('skills'))].map(([name, { text }]) => [name, text])),
      queue: { ...door.ports.queue, send: async () => undefined },
      model: { answer, turn: () => Promise.reject(new Error('no conversation')) },
    };
    return work(
      { loopId: idOf(REF), lane: 'work', tries: { attempt: 1, failed: {} } },
      ports,
      pino({ level: 'silent' }),
    );
  };
  return { door, round, purses };
}

const SAID = { request: 'asked', answer: 'answered', ending: 'whole' } as const;

/** Never comes back, as far as the loop can tell. */
class Killed extends Error {}

test('each call of a killed process counts once: as it was settled, or else as it was reserved', async () => {
  const { door, round, purses } = await drafting();
  const killed = async (book: CallBook): Promise<never> => {
    await book.settle(await book.reserve(usage(1000)), usage(400), SAID);
    await book.reserve(usage(500));
    throw new Killed();
  };
  await expect(round(killed)).rejects.toThrow();
  await expect(round(killed)).rejects.toThrow();
  const done = async (book: CallBook): Promise<never> => {
    const id = await book.reserve(usage(500));
    await book.settle(id, usage(100), SAID);
    throw new ModelError('The model is away.', [Object.assign(usage(100), { id })]);
  };
  await round(done);
  expect(purses.map((usd) => usd?.toFixed(2))).toEqual(['3.00', '2.10', '1.20']);
  expect((await door.loop())?.spent).toMatchObject({ calls: 5, usd: expect.closeTo(1.9) });
  expect(await door.ports.store.untold(idOf(REF))).toEqual([]);
});

test('a call counts once though its process still lived when another took its place', async () => {
  const { door, round } = await drafting();
  const overtaken = async (book: CallBook): Promise<never> => {
    const id = await book.reserve(usage(500));
    await book.settle(id, usage(100), SAID);
    await expect(round(() => Promise.reject(new Killed()))).rejects.toThrow();
    throw new ModelError('The model is away.', [Object.assign(usage(100), { id })]);
  };
  await round(overtaken);
  expect((await door.loop())?.spent).toMatchObject({ calls: 1, usd: expect.closeTo(0.1) });
});

test('a call of a killed process counts though nothing is drafted after it', async () => {
  const { door, round } = await drafting();
  const killed = async (book: CallBook): Promise<never> => {
    await book.settle(await book.reserve(usage(1000)), usage(400), SAID);
    throw new Killed();
  };
  await expect(round(killed)).rejects.toThrow();
  await apply(REF, command('stop', '', '2026-01-05T09:00:00.000Z'), door.ports);
  await round(() => Promise.reject(new Error('Nobody asks any more.')));
  expect((await door.loop())?.spent).toMatchObject({ calls: 1, usd: expect.closeTo(0.4) });
});
