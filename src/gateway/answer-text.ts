/**
 * An answer as its transcript shows it. Of a stream that is what its words come to, at each place of the answer: in its events a secret would stand in pieces
 * of a few letters, which nobody finds there and everybody can join, and people would have to join the words too.
 */
import { createGrowing, type Growing } from '../guard/transcript.ts';
import type { Delta } from './deltas.ts';

export interface AnswerText {
  /** Takes a part of an answer that is no stream. */
  add(text: string): void;
  /** Takes a line of a stream, and what it adds to the answer. A line that adds nothing is shown as it is. */
  hear(line: string, deltas: readonly Delta[]): void;
  text(): string;
}

/** More are told apart in no answer: each tool call is some. What is said at others is joined as it comes, so that no stream takes all memory. */
const MOST_PLACES = 64;
const ELSEWHERE = 'elsewhere';
const LONGEST_PLACE = 200;

/** Members of a delta that are no words, and that some endpoints repeat with each. */
const NO_WORDS = /\.(?:type|role)$/;
/** A comment, or the name of an event that its data have too. */
const SILENT_LINE = /^(?::|event:|$)/;

export function createAnswerText(): AnswerText {
  const said = new Map<string, Growing>();
  const rest = createGrowing();
  const at = (where: string): Growing => {
    const known = where.slice(0, LONGEST_PLACE);
    const place = said.has(known) || said.size < MOST_PLACES ? known : ELSEWHERE;
    const growing = said.get(place) ?? createGrowing();
    said.set(place, growing);
    return growing;
  };
  return {
    add: rest.add,
    hear(line, deltas) {
      const words = deltas.filter(({ place, text }) => text !== '' && !NO_WORDS.test(place));
      for (const { place, text } of words) at(place).add(text);
      if (words.length === 0 && !SILENT_LINE.test(line)) rest.add(`${line}\n`);
    },
    text: () => [...said].map(([place, words]) => `${place}:\n${words.text()}\n\n`).join('') + rest.text(),
  };
}
