/** What is sent to and read from a chat completion: the JSON schema of an answer, and the strict reading of what came back. */

import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionMessageParam } from 'openai/resources';
import { z } from 'zod';
import { jsonOf } from '../documents/json.ts';
import { cleanedAnswer, secretInAnswer } from '../guard/model-text.ts';
import type { AnswerName } from '../loop/answers.ts';
import type { ModelCall } from '../loop/brief.ts';
import type { ToolCall, ToolDefinition } from '../ports.ts';

/** What one try gave. `correction` are the messages that tell the model what was wrong with its answer. */
export type Reading<Value> =
  /** `text` is the answer as the model wrote it. */
  | { readonly type: 'usable'; readonly value: Value; readonly text: string }
  | {
      readonly type: 'unusable';
      readonly what: string;
      readonly correction: readonly ChatCompletionMessageParam[];
    };

export interface Turn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

const PROBLEMS_TOLD = 12;
/** What is sent back is paid for again, so a hostile answer must not come back whole; in characters. */
const LONGEST_TOLD = 400;
const LONGEST_ECHO = 200_000;
/** Far above the largest artifact. Checking what is hostile takes time in proportion, and nothing else runs meanwhile. */
const LONGEST_ANSWER = 1_000_000;

const message = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
});
const completion = z.object({
  choices: z.tuple([z.object({ message, finish_reason: z.string().nullish() })], z.unknown()),
});
const count = z.int().nonnegative().catch(0);
const usage = z.object({ usage: z.object({ prompt_tokens: count, completion_tokens: count }) });

/** The `response_format` that asks for one artifact. */
export function answerFormat(
  name: AnswerName,
  schema: z.ZodType,
): NonNullable<ChatCompletionCreateParamsNonStreaming['response_format']> {
  return { type: 'json_schema', json_schema: { name, strict: true, schema: jsonSchemaOf(schema) } };
}

/** Strict mode knows `anyOf` and not `oneOf`; our unions are told apart by a literal, so both mean the same. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    override({ jsonSchema }) {
      // Strict mode refuses defaults; whoever is asked has to say every field.
      delete jsonSchema.default;
      if (!jsonSchema.oneOf) return;
      jsonSchema.anyOf = jsonSchema.oneOf;
      delete jsonSchema.oneOf;
    },
  });
}

/** The request fields that offer tools; none when there are no tools, since endpoints refuse an empty list. */
export function toolsOf(tools: readonly ToolDefinition[]): Pick<ChatCompletionCreateParamsNonStreaming, 'tools'> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters: { ...parameters } },
    })),
  };
}

/** Reads a completion whose content is JSON of the schema, with nothing around it but a code fence. Its texts come in cleaned, and none that holds a secret. */
export function answerParser<Value>(
  schema: z.ZodType<Value>,
  canaries: readonly string[] = [],
): (received: unknown) => Reading<Value> {
  return (received) => {
    const text = textOf(received);
    if ('what' in text) return { type: 'unusable', what: text.what, correction: [] };
    if (text.content.length > LONGEST_ANSWER) return unusable(`an answer of more than ${LONGEST_ANSWER} characters`);
    const value = jsonOf(peeled(text.content));
    if (value === undefined) {
      return malformed(
        text.content,
        'an answer that is no bare JSON',
        'It is not JSON: answer with one JSON object only, no code fence and no words around it.',
      );
    }
    const parsed = schema.safeParse(cleanedAnswer(value));
    if (parsed.success) return withoutSecret(parsed.data, { said: value, text: text.content }, canaries);
    const problems = parsed.error.issues.map(({ path, message: problem }) =>
      `${path.join('.') || 'the answer'}: ${problem}`.slice(0, LONGEST_TOLD),
    );
    return wrong(text.content, problems);
  };
}

/** Not a word of such an answer is kept or sent back; where the secret stands is enough to write it anew. */
function withoutSecret<Value>(
  value: Value,
  { said, text }: { readonly said: unknown; readonly text: string },
  canaries: readonly string[],
): Reading<Value> {
  // Also as it was said: cleaned, an entity in a secret is only letters, which whoever reads them can undo.
  const secret = secretInAnswer(value, canaries) ?? secretInAnswer(said, canaries);
  if (secret === undefined) return { type: 'usable', value, text };
  const content = `Your last answer held what looks like ${secret}, so it was thrown away. Answer again, complete and as bare JSON; write a placeholder such as <token> instead.`;
  return { type: 'unusable', what: `an answer with ${secret}`, correction: [{ role: 'user', content }] };
}

/** Reads one turn of a conversation: words, tool calls, or both. */
export function readTurn(received: unknown): Reading<Turn> {
  const parsed = completion.safeParse(received);
  if (!parsed.success) return unusable('an answer that is no chat completion');
  const { content, tool_calls: calls } = parsed.data.choices[0].message;
  const toolCalls = (calls ?? []).map((call) => ({ id: call.id, ...call.function }));
  if (!content?.trim() && toolCalls.length === 0) return unusable('an empty answer');
  return { type: 'usable', value: { content: content ?? '', toolCalls }, text: content ?? '' };
}

/** Characters of a problem that a check of the asker's own found: the words of a parser, with the place that it shows. */
const LONGEST_FOUND = 1500;

/** An answer that fits its schema and breaks rules of whoever asked. */
export function checkedWrong<Value>(text: string, problems: readonly string[]): Reading<Value> {
  return wrong(
    text,
    problems.map((problem) => problem.slice(0, LONGEST_FOUND).toWellFormed()),
  );
}

/** Characters of a token, in English and code, about. */
const TOKEN_CHARACTERS = 4;

/** Tokens as the answer states them; where it states none, estimated by the length of what was sent and received. */
export function readUsage(
  received: unknown,
  sent: unknown,
): Pick<ModelCall, 'promptTokens' | 'completionTokens'> & { readonly estimated?: true } {
  const stated = usage.safeParse(received).data?.usage;
  if (stated !== undefined && stated.prompt_tokens + stated.completion_tokens > 0)
    return { promptTokens: stated.prompt_tokens, completionTokens: stated.completion_tokens };
  const answered = completion.safeParse(received).data?.choices[0].message ?? '';
  return { promptTokens: tokensIn(sent), completionTokens: tokensIn(answered), estimated: true };
}

/** Tokens of an answer that nobody has seen: more than most have. */
const EXPECTED_ANSWER = 4000;

/** What a call is expected to take, before it is made. */
export function expectedUsage(
  sent: unknown,
): Pick<ModelCall, 'promptTokens' | 'completionTokens'> & { readonly estimated: true } {
  return { promptTokens: tokensIn(sent), completionTokens: EXPECTED_ANSWER, estimated: true };
}

function tokensIn(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / TOKEN_CHARACTERS);
}

function textOf(received: unknown): { readonly content: string } | { readonly what: string } {
  const parsed = completion.safeParse(received);
  if (!parsed.success) return { what: 'an answer that is no chat completion' };
  const [{ message: said, finish_reason: reason }] = parsed.data.choices;
  if (said.refusal) return { what: 'a refusal' };
  if (reason === 'length') return { what: 'an answer cut off at its length limit' };
  return said.content?.trim() ? { content: said.content } : { what: 'an empty answer' };
}

/** The text in a code fence that is all there is: many models put one around JSON, whatever they are told. */
function peeled(text: string): string {
  const [, inner] = /^\s*```[a-z]*\s*\n([\s\S]*)\n\s*```\s*$/i.exec(text) ?? [];
  return inner ?? text;
}

function unusable<Value>(what: string): Reading<Value> {
  return { type: 'unusable', what, correction: [] };
}

function wrong<Value>(content: string, problems: readonly string[]): Reading<Value> {
  const told = problems.slice(0, PROBLEMS_TOLD).map((problem) => `- ${problem}`);
  const what = `an answer with ${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  return malformed(content, what, told.join('\n'));
}

function malformed<Value>(content: string, what: string, problems: string): Reading<Value> {
  return {
    type: 'unusable',
    what,
    correction: [
      { role: 'assistant', content: content.slice(0, LONGEST_ECHO) },
      { role: 'user', content: `Your answer cannot be used:\n${problems}\nAnswer again, complete and as bare JSON.` },
    ],
  };
}
