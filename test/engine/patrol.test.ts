import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPatrol } from '../../src/engine/patrol.ts';

function stage(steps: Readonly<Record<string, () => Promise<void>>>, leads: () => Promise<boolean> = async () => true) {
  vi.useFakeTimers();
  const lines: string[] = [];
  const patrol = startPatrol({
    ports: { store: { leads } },
    everyMs: 30_000,
    steps: Object.entries(steps).map(([what, take]) => ({ what, take })),
    log: pino(
      { base: null },
      { write: (line: string) => void lines.push(String(Reflect.get(JSON.parse(line), 'msg'))) },
    ),
  });
  onTestFinished(async () => {
    await patrol.close();
    vi.useRealTimers();
  });
  return { patrol, lines };
}

test('goes round at once, and again after a while', async () => {
  const taken: string[] = [];
  stage({ first: async () => void taken.push('first'), second: async () => void taken.push('second') });
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual(['first', 'second']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(taken).toHaveLength(6);
});

test('a round that hangs piles up no other', async () => {
  let begun = 0;
  const hanging = Promise.withResolvers<void>();
  const ask = (): Promise<void> => {
    begun += 1;
    return hanging.promise;
  };
  stage({ 'asking GitHub': ask });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(begun).toBe(1);
  hanging.resolve();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(begun).toBe(2);
});

test('a step that fails is said in one line, and keeps no other back', async () => {
  const taken: string[] = [];
  const { lines } = stage({
    'looking after the loops': () => Promise.reject(new Error('GitHub is away')),
    'the next': async () => void taken.push('next'),
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual(['next']);
  expect(lines).toEqual(['looking after the loops failed, and is tried again in 30 s: Error: GitHub is away']);
});

test('who does not lead takes no step, and asks again in the next round', async () => {
  const answers = [false, true];
  const taken: string[] = [];
  stage({ step: async () => void taken.push('step') }, async () => answers.shift() ?? true);
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual([]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(taken).toEqual(['step']);
});

test('after it is closed no step is taken and nothing is said', async () => {
  const hanging = Promise.withResolvers<void>();
  const taken: string[] = [];
  const { patrol, lines } = stage({ hangs: () => hanging.promise, next: async () => void taken.push('next') });
  await vi.advanceTimersByTimeAsync(0);
  await patrol.close();
  hanging.reject(new Error('everything is closed'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([taken, lines]).toEqual([[], []]);
});
