/** What a call took, read from the answer as it passes; what an answer does not state is estimated by its length. */

import { z } from 'zod';
import { jsonOf } from '../documents/json.ts';
import { type Delta, deltasIn } from './deltas.ts';

export interface Usage {
  /** At the price of one that is read afresh: what the upstream charges more for counts as so many more, and what it charges less for as one. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly estimated?: true;
}

const count = z.int().min(0).nullish().catch(undefined);
const stated = z.object({
  /** Of chat completions: https://platform.openai.com/docs/api-reference/chat/object */
  prompt_tokens: count,
  completion_tokens: count,
  /** Of responses and messages: https://platform.openai.com/docs/api-reference/responses/object, https://docs.claude.com/en/api/messages */
  input_tokens: count,
  output_tokens: count,
  /** Of messages, where `input_tokens` are without them. */
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  /** How much of what was written to the cache is kept for an hour. */
  cache_creation: z
    .object({ ephemeral_1h_input_tokens: count })
    .transform(({ ephemeral_1h_input_tokens: tokens }) => tokens ?? 0)
    .nullish()
    .catch(undefined),
});
type Stated = z.infer<typeof stated>;

const usage = z.object({ usage: stated.nullish().catch(undefined) });
/** An answer, or an event of a stream: of responses its last ones have the answer so far, of messages the first one. */
const holder = usage.extend({
  response: usage.nullish().catch(undefined),
  message: usage.nullish().catch(undefined),
});

/** Characters of a token, in English and code, about. */
const TOKEN_CHARACTERS = 4;

export function tokensIn(characters: number): number {
  return Math.ceil(characters / TOKEN_CHARACTERS);
}

export interface Meter {
  /** Takes the next part of a stream of server-sent events. */
  readEvents(text: string): void;
  /** Takes a whole answer. */
  readAnswer(text: string): void;
  /** What was used so far; `isWhole` where the answer came to its end, so that what it states of itself is all. */
  used(isWhole: boolean): Usage;
  /** Of a stream: the line that has only begun. */
  rest(): string;
}

/** Tokens of one answer in a second, of models that are asked at a usual price. */
const FASTEST = 200;

/**
 * What a call may have taken whose answer nobody heard to its end: it thinks before it says anything, and had said more than was read. As much as there was time for, and no more
 * than was expected: who never waits for the end would ask for nothing.
 */
export function unheard(heard: Usage, { expected, answers }: Allowed, ms: number): Usage {
  const possible = Math.min(expected.completionTokens, Math.ceil((ms / 1000) * FASTEST) * answers);
  return { ...heard, completionTokens: Math.max(heard.completionTokens, possible), estimated: true };
}

interface Allowed {
  readonly expected: Usage;
  /** So many are made at the same time. */
  readonly answers: number;
}

/** Is told each line of a stream, and what it adds to the answer. */
export type Hear = (line: string, deltas: readonly Delta[]) => void;

/** `promptCharacters`: of what was sent, for an answer that does not state its tokens. */
export function createMeter(promptCharacters: number, hear: Hear = () => {}): Meter {
  let known: Stated = {};
  let characters = 0;
  const read = (text: string): readonly Delta[] => {
    const value = jsonOf(text);
    // Of the many events of a stream one or two state it.
    if (text.includes('usage')) known = { ...known, ...statedIn(value) };
    const deltas = deltasIn(value);
    characters += deltas.reduce((sum, delta) => sum + delta.text.length, 0);
    return deltas;
  };
  const lines = linesOf((line) => hear(line, line.startsWith('data:') ? read(line.slice('data:'.length)) : []));
  return {
    readEvents: lines.take,
    rest: lines.rest,
    readAnswer(text) {
      characters += text.length;
      read(text);
    },
    used: (isWhole) => usedOf(known, { promptCharacters, characters, isWhole }),
  };
}

function statedIn(value: unknown): Stated {
  const { data } = holder.safeParse(value);
  const found = data?.usage ?? data?.response?.usage ?? data?.message?.usage ?? {};
  return Object.fromEntries(Object.entries(found).filter(([, tokens]) => typeof tokens === 'number'));
}

interface Length {
  readonly promptCharacters: number;
  readonly characters: number;
  readonly isWhole: boolean;
}

function usedOf(known: Stated, { promptCharacters, characters, isWhole }: Length): Usage {
  const prompt = known.prompt_tokens ?? inputOf(known);
  const completion = known.completion_tokens ?? known.output_tokens ?? undefined;
  const isStated = prompt !== undefined && completion !== undefined && prompt + completion > 0;
  if (isWhole && isStated) return { promptTokens: prompt, completionTokens: completion };
  // The first event of a message states one token of an answer that has only begun.
  const completionTokens = Math.max(completion ?? 0, tokensIn(characters));
  return { promptTokens: prompt || tokensIn(promptCharacters), completionTokens, estimated: true };
}

/** What is written to the cache costs 1.25 times as much, and twice where it is kept for an hour: https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing */
const WRITTEN = 1.25;
const WRITTEN_FOR_AN_HOUR = 2;

function inputOf({ input_tokens, cache_read_input_tokens, ...kept }: Stated): number | undefined {
  if (typeof input_tokens !== 'number') return undefined;
  const written = kept.cache_creation_input_tokens ?? 0;
  const forAnHour = Math.min(kept.cache_creation ?? 0, written);
  const creation = Math.ceil(WRITTEN * (written - forAnHour) + WRITTEN_FOR_AN_HOUR * forAnHour);
  return input_tokens + creation + (cache_read_input_tokens ?? 0);
}

/** A line longer than any event that can be used is read no further: the stream passes all the same, and is estimated. */
const LONGEST_LINE = 16 * 1024 * 1024;

function linesOf(each: (line: string) => void) {
  let rest = '';
  return {
    rest: () => rest,
    take(text: string): void {
      const lines = `${rest}${text}`.split(/\r?\n/);
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) rest = '';
      for (const line of lines) each(line);
    },
  };
}
