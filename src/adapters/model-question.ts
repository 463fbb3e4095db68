/** One question to a model, with a tool to be called: what came of it tells whether the App can work with it. */
import { z } from 'zod';
import type { AskedModel } from '../onboarding/model.ts';
import { toolsOf } from './model-format.ts';
import { type ModelOptions, send, settingsOf } from './model-send.ts';

/** For how long a model may be silent about so short a question. */
export const QUESTION_SILENCE_MS = 60_000;

const TOOL = 'note';
const TOOLS = [
  {
    name: TOOL,
    description: 'Notes one word.',
    parameters: {
      type: 'object',
      properties: { word: { type: 'string' } },
      required: ['word'],
      additionalProperties: false,
    },
  },
];
const MESSAGES = [
  { role: 'system' as const, content: 'You answer by calling the tool that you have.' },
  { role: 'user' as const, content: 'Note the word "ready".' },
];

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish() }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).optional().catch(undefined),
});

export interface Questioned extends Pick<ModelOptions, 'baseUrl' | 'model'> {
  readonly apiKey: string;
  readonly silenceMs: number;
  /** Who asks, as the endpoint is told. */
  readonly by: 'doctor' | 'setup';
}

/** Asks once, for about sixty tokens, and nothing about a repository; nothing of the answer but these facts is kept. */
export async function askModel({ by, silenceMs, ...endpoint }: Questioned): Promise<AskedModel> {
  const seen: Seen[] = [];
  const settings = settingsOf({ ...endpoint, fetch: observedFetch((answer) => void seen.push(answer)) });
  const context = { loop: by, phase: by, skill: by, role: by, attempt: 1 };
  const question = { context, wanted: 'next step', body: toolsOf(TOOLS), messages: MESSAGES, silenceMs };
  const sent = await send(settings, { ...question, purse: undefined, book: undefined }, MESSAGES);
  return read(sent, seen.at(-1));
}

/** What came back on the wire, as far as it says how an endpoint answers. */
interface Seen {
  readonly status: number;
  readonly isStream: boolean;
}

/** A fetch that tells of each answer that it brings. */
function observedFetch(tell: (seen: Seen) => void): typeof globalThis.fetch {
  const send = globalThis.fetch;
  return async (input, init) => {
    const response = await send(input, init);
    const type = response.headers.get('content-type') ?? '';
    tell({ status: response.status, isStream: type.includes('text/event-stream') });
    return response;
  };
}

function read(sent: Awaited<ReturnType<typeof send>>, seen: Seen | undefined): AskedModel {
  if ('failure' in sent) return { problem: sent.failure.what, status: seen?.status };
  const parsed = completion.safeParse(sent.completion).data;
  if (parsed === undefined) return { problem: 'an answer that is no chat completion', status: seen?.status };
  const [choice] = parsed.choices;
  const tokens = parsed.usage && parsed.usage.prompt_tokens + parsed.usage.completion_tokens;
  const called = choice?.message.tool_calls?.[0]?.function.name;
  return {
    isStream: seen?.isStream === true,
    tool: called === undefined ? 'none' : called === TOOL ? 'given' : 'another',
    tokens: tokens === 0 ? undefined : tokens,
  };
}
