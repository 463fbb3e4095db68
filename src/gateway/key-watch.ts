/** Lets a stream pass that does not hold the key it was asked with: an endpoint that echoes it is not passed on. */
import { SHORTEST_CANARY } from '../guard/secrets.ts';

export class KeyEchoError extends Error {
  override name = 'KeyEchoError';
}

export interface KeyWatch {
  /** What may pass of the stream so far: the end of it that begins like the key waits for what follows. @throws {KeyEchoError} */
  pass(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  /** What waited, at the end. */
  rest(): Uint8Array<ArrayBuffer>;
}

/** A key too short to be told from ordinary words, as `none`, is watched for by nobody. */
export function createKeyWatch(key: string): KeyWatch {
  const sought = Buffer.from(key.length < SHORTEST_CANARY ? '' : key);
  let held = Buffer.alloc(0);
  return {
    pass(bytes) {
      const all = Buffer.concat([held, bytes]);
      if (sought.length > 0 && all.includes(sought)) throw new KeyEchoError();
      const cut = all.length - beginningsAtEnd(all, sought);
      held = all.subarray(cut);
      return Uint8Array.from(all.subarray(0, cut));
    },
    rest: () => Uint8Array.from(held),
  };
}

/** How many bytes at the end of a text may be the beginning of what is sought. */
function beginningsAtEnd(text: Buffer, sought: Buffer): number {
  for (let length = Math.min(text.length, sought.length - 1); length > 0; length -= 1) {
    const at = text.length - length;
    // Of the few that are left one is cut out for each word of a stream, and not twenty.
    if (text[at] === sought[0] && text.subarray(at).equals(sought.subarray(0, length))) return length;
  }
  return 0;
}
