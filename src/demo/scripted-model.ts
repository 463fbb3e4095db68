/** The scripted model: an OpenAI-compatible HTTP server that gives authored answers. It says so in every answer. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Script } from './script.ts';

const request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  response_format: z.object({ json_schema: z.object({ name: z.string() }) }).optional(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
type Request = z.infer<typeof request>;

export interface ScriptedModel {
  /** Base address for LLM_BASE_URL, ending in `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server on loopback. It keeps no state: the same request always gets the same answer. */
export async function startScriptedModel(
  script: Script,
  { port = 0, delayMs = 0 }: { readonly port?: number; readonly delayMs?: number } = {},
): Promise<ScriptedModel> {
  const app = new Hono();
  app.get('/v1/models', (context) =>
    context.json({ object: 'list', data: [{ id: script.model, object: 'model', owned_by: 'scripted' }] }),
  );
  app.post('/v1/chat/completions', async (context) => {
    const parsed = request.safeParse(await context.req.json());
    if (!parsed.success)
      return context.json({ error: { message: 'not a chat completions request', type: 'invalid_request_error' } }, 400);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const attempt = Number(context.req.header('x-loopwright-attempt') ?? '1');
    context.header('x-loopwright-scripted', 'true');
    if (isAboutAnother(script, parsed.data)) return context.json(refusal(foreignIssue(script)), 422);
    const message = messageFor(script, parsed.data, attempt);
    if (message === undefined) return context.json(refusal(`its script has nothing for ${askedFor(parsed.data)}`), 422);
    const completion = completionOf(parsed.data, message);
    if (parsed.data.stream !== true) return context.json(completion);
    context.header('content-type', 'text/event-stream');
    return context.body(streamOf(parsed.data, message, completion));
  });
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusal(message: string) {
  return { error: { message, type: 'scripted' } };
}

/** Requests that tell the issue; without an answer to the first of them no later one is made. */
const TELL_THE_ISSUE: readonly (string | undefined)[] = ['interview', 'requirement', 'acceptance-tests'];

function isAboutAnother({ issue }: Script, { messages, response_format: format }: Request): boolean {
  if (issue === undefined || !TELL_THE_ISSUE.includes(format?.json_schema.name)) return false;
  return !messages.some(({ role, content }) => role === 'user' && String(content).includes(issue));
}

/** What is said about an issue that the script does not know. */
export function foreignIssue({ issue }: Script): string {
  return `its answers are authored for the issue “${issue}” only, and this is another one; name a real model with LLM_BASE_URL and LLM_MODEL`;
}

interface ScriptedMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

function messageFor(script: Script, asked: Request, attempt: number): ScriptedMessage | undefined {
  const name = asked.response_format?.json_schema.name;
  if (name === undefined) return turnFor(script, asked, attempt);
  const answer = ofTry(script.answers[name], attempt);
  if (answer === undefined) return undefined;
  return { role: 'assistant', content: typeof answer === 'string' ? answer : JSON.stringify(answer) };
}

/** The next tool call of the task that the first user message names; the number of turns so far says which. */
function turnFor(script: Script, { messages }: Request, attempt: number): ScriptedMessage | undefined {
  const steps = ofTry(script.tasks[taskOf(messages)], attempt);
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const step = steps?.[Math.min(turn, steps.length - 1)];
  if (step === undefined) return undefined;
  const { tool, ...input } = step;
  return {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `call_${turn + 1}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } },
    ],
  };
}

function taskOf(messages: Request['messages']): string {
  const text = messages.find(({ role }) => role === 'user')?.content;
  return /\bTask (T-\d+)\b/.exec(typeof text === 'string' ? text : JSON.stringify(text))?.[1] ?? '';
}

function askedFor(asked: Request): string {
  return asked.response_format?.json_schema.name ?? `task "${taskOf(asked.messages)}"`;
}

function ofTry<Value>(tries: readonly Value[] | undefined, attempt: number): Value | undefined {
  return tries?.[Math.min(Math.max(attempt, 1), tries.length) - 1];
}

/** The same answer piece by piece, as server-sent events. */
function streamOf(asked: Request, message: ScriptedMessage, { choices, usage, ...about }: Completion): string {
  const { content, tool_calls: calls = [], role } = message;
  const parts = (content ?? '').match(/[\s\S]{1,400}/g) ?? [];
  const deltas = [
    { role, content: '' },
    ...parts.map((part) => ({ content: part })),
    ...calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ];
  const chunk = { ...about, object: 'chat.completion.chunk' };
  const finish = choices.map(({ index, finish_reason }) => ({ index, delta: {}, finish_reason }));
  const pieces = [
    ...deltas.map((delta) => ({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...chunk, choices: finish },
    ...(asked.stream_options?.include_usage === true ? [{ ...chunk, choices: [], usage }] : []),
  ];
  return [...pieces.map((piece) => JSON.stringify(piece)), '[DONE]'].map((told) => `data: ${told}\n\n`).join('');
}

type Completion = ReturnType<typeof completionOf>;

/** Tokens are estimated at four characters each, as the answer's `usage` says. */
function completionOf(asked: Request, message: ScriptedMessage) {
  const prompt = Math.ceil(JSON.stringify(asked.messages).length / 4);
  const completion = Math.ceil(JSON.stringify(message).length / 4);
  return {
    id: 'scripted',
    object: 'chat.completion',
    created: 0,
    model: asked.model,
    choices: [{ index: 0, message, finish_reason: message.tool_calls === undefined ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}
