/** Looks again and again, while parties work, for texts in a folder and in what their processes were started with: most of it is gone when they have ended. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import type { Namespaces } from './namespaces.ts';

const PAUSE_MS = 500;

/** Where each text was seen: files, `environ of <name>` and `cmdline of <name>`. */
export type Held = ReadonlyMap<string, ReadonlySet<string>>;

interface Watched {
  readonly spaces: Namespaces;
  readonly party: string;
  readonly folder: string;
}

/** Begins to look; `end` looks for the last time and tells. */
export function watchHolding(watched: Watched, texts: readonly string[]): { readonly end: () => Promise<Held> } {
  const held = new Map(texts.map((text) => [text, new Set<string>()]));
  let isOver = false;
  const looking = (async () => {
    for (;;) {
      const isLast = isOver;
      for (const [text, places] of held) for (const place of await placesOf(watched, text)) places.add(place);
      if (isLast) return;
      await delay(PAUSE_MS);
    }
  })();
  return {
    async end() {
      isOver = true;
      await looking;
      return held;
    },
  };
}

async function placesOf({ spaces, party, folder }: Watched, text: string): Promise<readonly string[]> {
  const files = await execa('grep', ['-rlaF', text, folder], { reject: false });
  const [, , , space = ''] = spaces.within(party, []);
  const { stdout } = await execa('ip', ['netns', 'pids', space]);
  const processes = stdout.split('\n').filter(Boolean);
  return [
    ...files.stdout.split('\n').filter(Boolean),
    ...['environ', 'cmdline'].flatMap((what) =>
      processes.flatMap((id) => (factOf(id, what).includes(text) ? [`${what} of ${factOf(id, 'comm').trim()}`] : [])),
    ),
  ];
}

/** Empty of a process that has ended. */
function factOf(id: string, what: string): string {
  try {
    return readFileSync(`/proc/${id}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
