/** Cuts a byte stream into lines of text. */
import { StringDecoder } from 'node:string_decoder';

export interface LineReader {
  readonly push: (chunk: Buffer) => void;
  /** Hands over what came after the last newline. */
  readonly end: () => void;
}

/** Creates a reader that calls back once a line, without its newline; an endless line is cut at 64 Ki characters. */
export function createLineReader(onLine: (line: string) => void): LineReader {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (rest.length < limitChars) return;
    onLine(rest);
    rest = '';
  };
  return {
    push: (chunk) => take(decoder.write(chunk)),
    end: () => {
      take(decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}

const limitChars = 65_536;
