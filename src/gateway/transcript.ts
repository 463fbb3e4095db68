/** What was asked and answered in a call, without secrets, as it is kept. */
import { withoutSecrets } from '../guard/secrets.ts';
import type { Ending } from './relay.ts';

/** Where transcripts are kept. The App keeps none of its own calls' words, so there is no place for them yet; they lie among the blobs, and the log says under which digest. */
export interface Transcripts {
  /** Gives the digest that it is kept under. */
  keep(transcript: string): Promise<string>;
}

export interface Exchanged {
  /** As the ledger has it. */
  readonly call: string;
  readonly loop: string;
  readonly dialect: string;
  readonly model: string;
  /** Of the upstream's answer; undefined where none came. */
  readonly status: number | undefined;
  readonly ending: Ending;
  readonly at: string;
  readonly request: string;
  readonly answer: string;
}

/** JSON; both texts as they were sent, without secrets, and without their middle where they are long. */
export function transcriptOf(exchanged: Exchanged, canaries: readonly string[]): string {
  const texts = {
    request: withoutSecrets(excerpt(exchanged.request), canaries),
    answer: withoutSecrets(excerpt(exchanged.answer), canaries),
  };
  return `${JSON.stringify({ version: 1, ...exchanged, ...texts }, null, 2)}\n`;
}

/** Looking for secrets in a MiB takes some 200 ms, in which the App does nothing else. */
const LONGEST = 256 * 1024;

function excerpt(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  const left = text.length - LONGEST;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
}

export interface Growing {
  add(text: string): void;
  text(): string;
}

/** A text that comes in pieces, of which no more is kept than a transcript shows. */
export function createGrowing(): Growing {
  let head = '';
  let tail = '';
  return {
    add(text) {
      const room = LONGEST - head.length;
      head += text.slice(0, room);
      tail = `${tail}${text.slice(room)}`.slice(-LONGEST);
    },
    text: () => head + tail,
  };
}
