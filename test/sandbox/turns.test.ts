import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turnsFor } from '../../src/sandbox/turns.ts';

/** Work that goes on until it is told to end. */
function begun(turns: ReturnType<typeof turnsFor>, log: string[], name: string) {
  const end = Promise.withResolvers<void>();
  let give = () => {};
  const done = turns.take(async (wait) => {
    give = wait;
    log.push(name);
    await end.promise;
    return name;
  });
  return { done, end: end.resolve, wait: () => give() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many work at a time, and the next one in order when one of them ends', async () => {
  const [turns, log] = [turnsFor(2), [] as string[]];
  const [one, two, three, four] = ['one', 'two', 'three', 'four'].map((name) => begun(turns, log, name));
  await settled();
  expect(log).toEqual(['one', 'two']);
  two?.end();
  await settled();
  expect(log).toEqual(['one', 'two', 'three']);
  for (const work of [one, three, four]) work?.end();
  expect(await Promise.all([one, two, three, four].map((work) => work?.done))).toEqual(['one', 'two', 'three', 'four']);
});

it('lets the next one work where one only waits, once for each that waits', async () => {
  const [turns, log] = [turnsFor(1), [] as string[]];
  const [one, two, three] = ['one', 'two', 'three'].map((name) => begun(turns, log, name));
  await settled();
  one?.wait();
  one?.wait();
  await settled();
  expect(log).toEqual(['one', 'two']);
  one?.end();
  await settled();
  expect(log).toEqual(['one', 'two']);
  two?.end();
  await settled();
  expect(log).toEqual(['one', 'two', 'three']);
  three?.end();
  await three?.done;
});

it('gives the turn back where work fails', async () => {
  const turns = turnsFor(1);
  await expect(turns.take(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(await turns.take(async () => 'next')).toBe('next');
});

it('never has more at work than there are turns, whoever waits or ends first', async () => {
  const acts = fc.array(fc.tuple(fc.constantFrom('wait', 'end'), fc.nat({ max: 20 })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 12 }),
      acts,
      async (most, count, told) => {
        const [turns, log] = [turnsFor(most), [] as string[]];
        const all = Array.from({ length: count }, (_, index) => begun(turns, log, String(index)));
        const away = new Set<string>();
        for (const [act, at] of told) {
          await settled();
          const name = log.at(at % Math.max(1, log.length)) ?? '';
          all[Number(name)]?.[act as 'wait' | 'end']();
          away.add(name);
          await settled();
          const working = log.filter((one) => !away.has(one)).length;
          expect(working).toBe(Math.min(most, count - away.size));
        }
        for (const { end } of all) end();
        for (let round = 0; round < count; round += 1) {
          await settled();
          for (const { end } of all) end();
        }
        expect(await Promise.all(all.map(({ done }) => done))).toHaveLength(count);
      },
    ),
    { numRuns: 60 },
  );
});
