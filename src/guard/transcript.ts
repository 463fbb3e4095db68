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
  /** Of a stream what was said in it, joined, and below that the events that say nothing. */
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
  const headEnd = headEndOf(text);
  const tailStart = tailStartOf(text);
  // A secret that the cut goes through is looked for whole.
  const head = withoutSecrets(text.slice(0, headEnd + MARGIN), canaries).slice(0, -MARGIN);
  const tail = withoutSecrets(text.slice(tailStart - MARGIN), canaries).slice(MARGIN);
  return `${head}\n[${tailStart - headEnd} characters left out]\n${tail}`;
}

/** Longer than a secret, but for a signed token with many claims: */
const MARGIN = 16 * 1024;
/** what goes on through all of the margin without one of these is left out whole. No words do. */
const BREAK = /[^\w.+/=~-]/;

function headEndOf(text: string): number {
  let end = LONGEST / 2;
  if (BREAK.test(text.slice(end, end + MARGIN))) return end;
  while (end > 0 && !BREAK.test(text.charAt(end - 1))) end -= 1;
  return end;
}

function tailStartOf(text: string): number {
  let start = text.length - LONGEST / 2;
  if (BREAK.test(text.slice(start - MARGIN, start))) return start;
  while (start < text.length && !BREAK.test(text.charAt(start))) start += 1;
  return start;
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
      tail += text.slice(room);
      // Each cut copies it: with each word of a long answer that would be most of what the App does.
      if (tail.length > 2 * LONGEST) tail = tail.slice(-LONGEST);
    },
    text: () => head + tail,
  };
}
