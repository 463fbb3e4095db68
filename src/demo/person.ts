/** Who speaks for the maintainer: the demo plays a person, or a person sits before it. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Maintainer } from './maintainer.ts';
import type { Story } from './story.ts';

export interface Person {
  /** Told once of each thing that the loop waits for: the plainest words for it, and the issue or pull request where they are said. */
  awaited(words: string, number: number): Promise<void>;
  /** Told where the conversation is, before anything is awaited there. */
  at(number: number): void;
  close(): void;
}

type Speaking = { readonly maintainer: Pick<Maintainer, 'comment'>; readonly story: Pick<Story, 'said' | 'asks'> };

/** Says the plainest words by itself. */
export function playedPerson({ maintainer, story }: Speaking): Person {
  return {
    async awaited(words, number) {
      story.said(words);
      await maintainer.comment(number, words);
    },
    at: () => undefined,
    close: () => undefined,
  };
}

const STEERING = 'nothing waits for you now; `/help` lists what can be said';

/** Says each line of the input where the conversation is. Whoever is not at a terminal says it in the browser, at the entrance. */
export function personAt(
  input: Readable,
  { maintainer, story, entrance }: Speaking & { readonly entrance: string },
): Person {
  let where: number | undefined;
  let hint = STEERING;
  const say = async (line: string): Promise<void> => {
    const words = line.trim();
    if (words === '' || where === undefined) return story.asks(hint);
    hint = STEERING;
    try {
      await maintainer.comment(where, words);
    } catch (error) {
      story.asks(`"${words}" was not said: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // Without raw mode, so that Ctrl-C stays a signal.
  const lines = createInterface({ input, terminal: false });
  let saying = Promise.resolve();
  lines.on('line', (line) => {
    saying = saying.then(() => say(line));
  });
  return {
    async awaited(words, number) {
      where = number;
      hint = `waits for you: type for example \`${words}\` here, or say it in the browser: ${entrance}`;
      story.asks(hint);
    },
    at(number) {
      if (hint === STEERING) where = number;
    },
    close: () => lines.close(),
  };
}
