import { expect, test } from 'vitest';
import { grouped } from '../../src/adapters/database/group-commit.ts';

/** A write that ends when it is told to. */
function stage(fails: (item: string) => boolean = () => false) {
  const groups: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const put = grouped(async (items: readonly string[]) => {
    groups.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.some(fails)) throw new Error(`${items.join()} cannot be written`);
    return items.map((item) => `${item} is written`);
  });
  const end = async (): Promise<void> => {
    while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    ends.shift()?.();
  };
  return { put, groups, end };
}

test('what arrives while a group is written is written together in the next one, and answered only then', async () => {
  const { put, groups, end } = stage();
  const answered: string[] = [];
  const tell = (item: string) => put(item).then((answer) => answered.push(answer));
  const first = [tell('a'), tell('b')];
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = [tell('c'), tell('d')];
  expect(answered).toEqual([]);
  await end();
  await Promise.all(first);
  expect(answered).toEqual(['a is written', 'b is written']);
  await end();
  await Promise.all(second);
  expect(groups).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('one that cannot be written fails alone', async () => {
  const { put, groups, end } = stage((item) => item === 'bad');
  const answers = Promise.allSettled(['a', 'bad', 'b'].map(put));
  for (const _ of [1, 2, 3, 4]) await end();
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
});
