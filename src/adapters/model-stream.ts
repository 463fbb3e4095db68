/** Reads a chat completion as it comes: piece by piece, or whole from an endpoint that does not stream. */
import { z } from 'zod';
import { ANSWER_BYTES, AnswerTooLargeError } from './model-fetch.ts';

/** The stream ended, or told an error, before the answer was whole; half of an answer is none. */
export class BrokenOffError extends Error {
  override name = 'BrokenOffError';
}

/** The completion as an endpoint that does not stream would give it. @throws {SyntaxError} for what is no JSON. */
export async function completionIn(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) return assembled(response.body);
  const text = await response.text();
  return type.includes('json') ? JSON.parse(text) : text;
}

const piece = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().optional(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z.unknown().optional(),
  /** Of an endpoint that fails in the midst of its answer. */
  error: z.unknown().optional(),
});
type Piece = z.infer<typeof piece>;
type CallPiece = NonNullable<NonNullable<NonNullable<Piece['choices'][number]['delta']>['tool_calls']>>[number];

interface Growing {
  content: string;
  refusal: string;
  readonly calls: Map<number, { id: string; name: string; arguments: string }>;
  finish: string | undefined;
  usage: unknown;
}

async function assembled(body: ReadableStream<Uint8Array> | null): Promise<unknown> {
  const growing: Growing = { content: '', refusal: '', calls: new Map(), finish: undefined, usage: undefined };
  let isDone = false;
  for await (const told of eventsOf(body)) {
    isDone = told === '[DONE]';
    if (isDone) break;
    const parsed = piece.safeParse(JSON.parse(told));
    // Another kind of answer; whoever reads it says so.
    if (!parsed.success) return told;
    if (parsed.data.error) throw new BrokenOffError();
    grow(growing, parsed.data);
  }
  if (!isDone && growing.finish === undefined) throw new BrokenOffError();
  return completionOf(growing);
}

function grow(growing: Growing, { choices, usage }: Piece): void {
  const [choice] = choices;
  growing.content += choice?.delta?.content ?? '';
  growing.refusal += choice?.delta?.refusal ?? '';
  growing.finish = choice?.finish_reason ?? growing.finish;
  growing.usage = usage ?? growing.usage;
  for (const [position, call] of (choice?.delta?.tool_calls ?? []).entries()) growCall(growing, call, position);
}

/** The first piece of a call names it, the others add to its arguments. */
function growCall({ calls }: Growing, { index, id, function: called }: CallPiece, position: number): void {
  const key = index ?? position;
  const known = calls.get(key) ?? { id: '', name: '', arguments: '' };
  calls.set(key, {
    id: id || known.id,
    name: called?.name || known.name,
    arguments: known.arguments + (called?.arguments ?? ''),
  });
}

function completionOf({ content, refusal, calls, finish, usage }: Growing): unknown {
  const toolCalls = [...calls.entries()]
    .toSorted(([left], [right]) => left - right)
    .map(([, { id, name, arguments: given }]) => ({ id, type: 'function', function: { name, arguments: given } }));
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(refusal === '' ? {} : { refusal }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return { choices: [{ index: 0, message, finish_reason: finish ?? null }], ...(usage ? { usage } : {}) };
}

/** The data of each server-sent event: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '' && lines.length > 0) {
      yield lines.join('\n');
      lines = [];
    }
    if (line.startsWith('data:')) lines.push(line.slice('data:'.length).trimStart());
  }
  if (lines.length > 0) yield lines.join('\n');
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    if (rest.length > ANSWER_BYTES) throw new AnswerTooLargeError();
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
