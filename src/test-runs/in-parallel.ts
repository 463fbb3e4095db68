/** Work that is done at the same time. */
import { totalmem } from 'node:os';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { PROCESSORS } from '../sandbox/turns.ts';

const WAITING = 10;
const BYTES_PER_RUN = 1024 ** 3;

/**
 * How many runs of tests may be begun: the sandbox lets as many work as there are processors, and with a fault many wait for what never comes, which
 * takes their memory and nothing else of the machine.
 */
const AT_ONCE = Math.max(PROCESSORS, Math.min(PROCESSORS + WAITING, Math.floor(totalmem() / BYTES_PER_RUN)));

/** The same of a sandbox; without one they would meet at the same ports. */
export function lanesOf({ kind }: Pick<Sandbox, 'kind'>): number {
  return kind === 'none' ? 1 : AT_ONCE;
}

/** The results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  most = PROCESSORS,
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
  most = PROCESSORS,
): Promise<readonly [One, Other]> {
  if (most > 1) return Promise.all([one(), other()]);
  return [await one(), await other()];
}
