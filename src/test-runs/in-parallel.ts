/** Work that runs at the same time, as much as the machine has processors for. */
import { availableParallelism } from 'node:os';

const MOST = 4;

/** The results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  most = MOST,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), most) }, worker));
  return results;
}
