/** Lines that a program in the sandbox writes about the code that it runs, sealed with a key that this code does not have. */
import { hash } from 'node:crypto';

/** SHA-3, because a plain SHA-2 of key and text can be continued by whoever sees one. The runner scripts say the same in their languages. */
const ALGORITHM = 'sha3-256';

/** The line as it is written; `position` counts from 0, so that none can be left out, repeated or moved. */
export function seal(key: string, position: number, text: string): string {
  return `${hash(ALGORITHM, `${key} ${position} ${text}`)} ${text}\n`;
}

/** The texts of the lines, or undefined when any of them is not sealed with this key at this position. */
export function unseal(key: string, written: string): readonly string[] | undefined {
  const texts = written.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(line.indexOf(' ') + 1)]));
  return written === texts.map((text, position) => seal(key, position, text)).join('') ? texts : undefined;
}
