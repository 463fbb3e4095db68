/** What was asked and answered in a call, without secrets, as it is kept. */
import { z } from 'zod';
import { withoutSecrets } from './secrets.ts';

export const transcript = z.object({
  version: z.literal(1),
  /** As it is booked. */
  call: z.string(),
  /** `owner/name#issue`. */
  loop: z.string(),
  dialect: z.string(),
  model: z.string(),
  /** Of the upstream's answer; absent where none came, or nobody asked for it. */
  status: z.int().optional(),
  /** Whether the answer came whole. */
  ending: z.string(),
  at: z.string(),
  request: z.string(),
  answer: z.string(),
});
export type Exchanged = Omit<z.infer<typeof transcript>, 'version'>;

/** JSON; both texts as they are to be kept. */
export function transcriptOf(exchanged: Exchanged): string {
  return `${JSON.stringify({ version: 1, ...exchanged }, null, 2)}\n`;
}

/** Looking for secrets in a MiB takes some 200 ms, in which the App does nothing else. */
const LONGEST = 256 * 1024;

/** A text as it may be kept: as it was sent, without secrets, and without its middle where it is long. */
export function keptText(text: string, canaries: readonly string[]): string {
  if (text.length <= LONGEST) return withoutSecrets(text, canaries);
  const half = LONGEST / 2;
  // A secret that the cut goes through is looked for whole.
  const head = withoutSecrets(text.slice(0, half + MARGIN), canaries).slice(0, -MARGIN);
  const tail = withoutSecrets(text.slice(-half - MARGIN), canaries).slice(MARGIN);
  return `${head}\n[${text.length - LONGEST} characters left out]\n${tail}`;
}

/** Longer than a secret. */
const MARGIN = 16 * 1024;

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
      tail += text.slice(room);
      // Each cut copies it: with each word of a long answer that would be most of what the App does.
      if (tail.length > 2 * LONGEST) tail = tail.slice(-LONGEST);
    },
    text: () => head + tail,
  };
}
