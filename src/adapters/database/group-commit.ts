/** Group commit: what arrives while a write is under way waits and is written together, in the next one. */
import { setTimeout as delay } from 'node:timers/promises';

/** The most that one write takes. */
const MOST = 500;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Makes a function that hands items to `write` in groups and answers each when its group is written. `write` answers as many results as it gets items.
 * Each write waits `lingerMs` for company first.
 * When a group fails, each of its items is tried alone, so that no item fails for the sake of another.
 */
export function grouped<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  lingerMs = 0,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let writing = false;
  const writeAll = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      // Also without lingering, what is handed in at the same moment goes together.
      await (lingerMs > 0 ? delay(lingerMs) : undefined);
      const group = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      await writeGroup(group, write);
    }
    writing = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void writeAll();
    });
}

async function writeGroup<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  const results = await write(group.map(({ item }) => item)).catch((error: unknown) => {
    if (group.length === 1) group[0]?.reject(error);
    return undefined;
  });
  if (results !== undefined) answer(group, results);
  else if (group.length > 1) for (const one of group) await writeGroup([one], write);
}

function answer<Item, Result>(group: readonly Waiting<Item, Result>[], results: readonly Result[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const result = results[index];
    if (result === undefined) reject(new Error('a group was written without a result for each of its items'));
    else resolve(result);
  }
}
