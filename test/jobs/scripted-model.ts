/** A scripted model for tests: an OpenAI-compatible server on loopback whose answers are authored beforehand. Nothing here thinks. */
import { createServer } from 'node:http';
import { z } from 'zod';
import { listening } from '../listening.ts';

/** One scripted assistant turn with tools: the calls to make, or a plain text. */
export type ScriptedTurn = readonly { readonly name: string; readonly arguments: unknown }[] | string;

export interface Script {
  /** Per `response_format` name: the answers in order; the last one is repeated. */
  readonly answers?: Readonly<Record<string, readonly unknown[]>>;
  /** Turns with tools, in order over all conversations; afterwards every conversation submits. */
  readonly turns?: readonly ScriptedTurn[];
  /** Turns with tools that are answered; every later one gets the status 400. */
  readonly failsAfter?: number;
  /** Answers these schema names (or `turn`) with this status instead. */
  readonly status?: Readonly<Record<string, number>>;
}

export interface SeenRequest {
  /** The schema's name, or `turn`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const wireRequest = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
  response_format: z.object({ json_schema: z.object({ name: z.string() }) }).optional(),
});
const HEADERS = ['loop', 'phase', 'skill', 'role', 'attempt'] as const;

/** Starts the server on a free port of 127.0.0.1; `requests` grows as the job asks. */
export async function startScriptedModel(script: Script) {
  const requests: SeenRequest[] = [];
  const turns = [...(script.turns ?? [])];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = wireRequest.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const name = body.response_format?.json_schema.name ?? 'turn';
    requests.push({
      name,
      headers: Object.fromEntries(HEADERS.map((key) => [key, String(request.headers[`x-loopwright-${key}`])])),
      messages: body.messages.map(({ role, content }) => ({ role, content: content ?? '' })),
    });
    const asked = requests.filter((request) => request.name === name).length;
    const hasFailed = name === 'turn' && asked > (script.failsAfter ?? Number.POSITIVE_INFINITY);
    const status = hasFailed ? 400 : (script.status?.[name] ?? 200);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? completion(messageFor(name)) : { error: { message: 'scripted' } }));
  });
  const messageFor = (name: string) => {
    if (name === 'turn') return turnMessage(turns.shift() ?? [{ name: 'submit', arguments: {} }], requests.length);
    const answers = script.answers?.[name] ?? [];
    const index = requests.filter((request) => request.name === name).length - 1;
    const answer = answers[Math.min(index, answers.length - 1)];
    return { role: 'assistant', content: typeof answer === 'string' ? answer : JSON.stringify(answer ?? null) };
  };
  const url = `${await listening(server)}/v1`;
  return {
    url,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function turnMessage(turn: ScriptedTurn, serial: number) {
  if (typeof turn === 'string') return { role: 'assistant', content: turn };
  const tool_calls = turn.map((call, index) => ({
    id: `call-${serial}-${index}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  return { role: 'assistant', content: null, tool_calls };
}

function completion(message: unknown) {
  return {
    id: 'scripted',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
