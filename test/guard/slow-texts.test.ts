import { expect, test } from 'vitest';
import { costOf, PLAIN, READERS, SLOW } from '../bench/texts.ts';

/** They took up to 23 s. This is no measurement, as `npm run bench` makes one: it tells what is linear from what is not, also on a machine that does much else. */
const MOST_MS = 1500;

test.each(Object.keys(READERS))('no text of 65 kB holds the App up for long: %s', (name) => {
  const read = READERS[name] ?? (() => undefined);
  read(PLAIN);
  for (const [what, text] of Object.entries(SLOW)) expect(costOf(read, text, 1), what).toBeLessThan(MOST_MS);
});
