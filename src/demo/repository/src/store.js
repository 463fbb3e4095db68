import { readFileSync } from 'node:fs';

const FILE = new URL('../data/entries.json', import.meta.url);

/** Entries in memory, read once from the data file; the newest comes first. */
export function createStore(entries = JSON.parse(readFileSync(FILE, 'utf8'))) {
  const kept = [...entries];
  return {
    all: () => [...kept].sort((left, right) => right.id - left.id),
    add({ name, message }) {
      const entry = { id: 1 + Math.max(0, ...kept.map(({ id }) => id)), name, message };
      kept.push(entry);
      return entry;
    },
  };
}
