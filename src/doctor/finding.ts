/** What a look comes to: one sentence, and one remedy where there is something to do. Pure. */
import { GoneError, LimitedError, LoopError, UnansweredError } from '../errors.ts';

/** `unknown` is never a pass: what cannot be seen from here is told as that. */
export type State = 'ok' | 'missing' | 'wrong' | 'unknown';

export interface Finding {
  readonly state: State;
  readonly sentence: string;
  /** What to do; there is one for all that is not ok. */
  readonly remedy?: string;
}

export interface Row extends Finding {
  readonly area: string;
  /** What was looked at. */
  readonly subject: string;
}

export const ok = (sentence: string): Finding => ({ state: 'ok', sentence });
export const missing = (sentence: string, remedy: string): Finding => ({ state: 'missing', sentence, remedy });
export const wrong = (sentence: string, remedy: string): Finding => ({ state: 'wrong', sentence, remedy });
export const unknown = (sentence: string, remedy: string): Finding => ({ state: 'unknown', sentence, remedy });

/** It was not looked, because of what another row says. */
export class NotLookedError extends LoopError {
  override name = 'NotLookedError';
  readonly remedy: string;
  constructor(because: string, remedy: string) {
    super(`Not looked at, because ${because}.`);
    this.remedy = remedy;
  }
}

/** The value, or the reason why a look that needs it is not taken. @throws {NotLookedError} where there is none. */
export function needed<Value>(value: Value | undefined, variable: string): Value {
  if (value !== undefined) return value;
  throw new NotLookedError(`${variable} is not as it must be`, `Correct ${variable} first.`);
}

/** A look that failed shows nothing, whatever failed. */
export function failedLook(error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof NotLookedError) return unknown(text, error.remedy);
  const [, sentence, remedy] = FAILURES.find(([isSo]) => isSo(error)) ?? UNFORESEEN;
  return unknown(sentence(text), remedy);
}

const MOST_CHARACTERS = 600;

/** A server that is not the one that was meant says whole pages. */
export function shortened(text: string): string {
  const [before = ''] = text.split(/<(?:!doctype|html)\b/i);
  const said = before === text ? text : `${before}a page, and no answer for a program`;
  return said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}…` : said;
}

type Failure = readonly [isSo: (error: unknown) => boolean, sentence: (text: string) => string, remedy: string];

const statusOf = (error: unknown): number | undefined => (error instanceof LoopError ? error.status : undefined);

const FAILURES: readonly Failure[] = [
  [
    (error) => error instanceof UnansweredError,
    (text) => `GitHub gave no answer that tells: ${text}`,
    'Ask again later; if it stays so, see whether GITHUB_API_URL can be reached from here.',
  ],
  [
    (error) => error instanceof LimitedError,
    (text) => `GitHub takes no more requests for now: ${text}`,
    'Ask again when its limit is over, within an hour.',
  ],
  [
    (error) => statusOf(error) === 403,
    (text) => `GitHub does not let the App see it: ${text}`,
    "Look at the repository's settings on GitHub.",
  ],
  [
    (error) => error instanceof GoneError,
    (text) => `There is nothing to be seen: ${text}`,
    'Look on GitHub; an older GitHub Enterprise Server may not tell it.',
  ],
];

const UNFORESEEN: Failure = [() => true, (text) => `It could not be looked at: ${text}`, 'Ask again later.'];
