/** An endpoint for chat completions that answers as it is told: by pieces, with a tool call and the tokens that it took, unless something of that is left out. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../listening.ts';

export interface Manner {
  readonly status?: number;
  readonly whole?: boolean;
  readonly withoutTool?: boolean;
  readonly withoutUsage?: boolean;
  readonly page?: boolean;
  readonly delayMs?: number;
}

export interface ToolModel {
  readonly url: string;
  /** How it answers from now on. */
  manner: Manner;
  /** How often it was asked. */
  asked: number;
  readonly close: () => void;
}

const MESSAGE = {
  role: 'assistant',
  content: null,
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'note', arguments: '{"word":"ready"}' } }],
};
const WORDS = { role: 'assistant', content: 'ready' };
const USAGE = { prompt_tokens: 60, completion_tokens: 12, total_tokens: 72 };

export async function startToolModel(): Promise<ToolModel> {
  const model: Pick<ToolModel, 'manner' | 'asked'> = { manner: {}, asked: 0 };
  const server = createServer(async (request, response) => {
    model.asked += 1;
    const { status = 200, whole, withoutTool, withoutUsage, page, delayMs = 0 } = model.manner;
    const { authorization = '' } = request.headers;
    await request.toArray();
    await sleep(delayMs);
    if (page) return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    const message = withoutTool ? WORDS : MESSAGE;
    const usage = withoutUsage ? {} : { usage: USAGE };
    // As some endpoints do, it repeats the key that it refuses.
    if (status !== 200)
      return response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `Incorrect API key provided: ${authorization}` } }));
    if (whole)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...usage }));
    const pieces = [
      { choices: [{ index: 0, delta: message, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], ...usage },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(
      [...pieces.map((piece) => JSON.stringify(piece)), '[DONE]'].map((text) => `data: ${text}\n\n`).join(''),
    );
  });
  const url = `${await listening(server)}/v1`;
  return Object.assign(model, {
    url,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
