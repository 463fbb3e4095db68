/** Work that is done at the same time. */
import { availableParallelism } from 'node:os';

const MOST = 4;

/** As much as the machine has processors for. */
export const FOR_PROCESSORS = Math.min(availableParallelism(), MOST);

/** The results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  most = FOR_PROCESSORS,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}

/** The results of two pieces of work that need nothing of each other; one after the other where only one may run. */
export async function both<One, Other>(
  one: () => Promise<One>,
  other: () => Promise<Other>,
  most = FOR_PROCESSORS,
): Promise<readonly [One, Other]> {
  if (most > 1) return Promise.all([one(), other()]);
  return [await one(), await other()];
}
