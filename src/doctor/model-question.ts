/** One question to the configured model, with a tool to be called: what came of it tells whether the App can work with it. */
import { z } from 'zod';
import { toolsOf } from '../adapters/model-format.ts';
import { send, settingsOf } from '../adapters/model-send.ts';
import type { Examined } from '../settings/env.ts';
import { needed } from './finding.ts';
import { observedFetch, type Seen } from './outside.ts';

export type AskedModel =
  /** `status` is undefined where nobody answered. */
  | { readonly problem: string; readonly status: number | undefined }
  | {
      readonly isStream: boolean;
      /** Name of the tool that it called. */
      readonly tool: string | undefined;
      readonly tokens: number | undefined;
    };

export const TOOL = 'note';
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

/** Asks once; nothing of the answer but these facts is kept. */
export async function askModel(
  { LLM_BASE_URL, LLM_MODEL, LLM_API_KEY, OPENAI_API_KEY }: Examined['model'],
  silenceMs: number,
): Promise<AskedModel> {
  const seen: Seen[] = [];
  const settings = settingsOf({
    baseUrl: needed(LLM_BASE_URL, 'LLM_BASE_URL'),
    model: needed(LLM_MODEL, 'LLM_MODEL'),
    apiKey: LLM_API_KEY ?? OPENAI_API_KEY ?? 'none',
    fetch: observedFetch((answer) => void seen.push(answer)),
  });
  const context = { loop: 'doctor', phase: 'doctor', skill: 'doctor', role: 'doctor', attempt: 1 };
  const question = { context, wanted: 'next step', body: toolsOf(TOOLS), messages: MESSAGES, silenceMs };
  const sent = await send(settings, { ...question, purse: undefined, book: undefined }, MESSAGES);
  return read(sent, seen.at(-1));
}

function read(sent: Awaited<ReturnType<typeof send>>, seen: Seen | undefined): AskedModel {
  if ('failure' in sent) return { problem: sent.failure.what, status: seen?.status };
  const parsed = completion.safeParse(sent.completion).data;
  if (parsed === undefined) return { problem: 'an answer that is no chat completion', status: seen?.status };
  const [choice] = parsed.choices;
  const tokens = parsed.usage && parsed.usage.prompt_tokens + parsed.usage.completion_tokens;
  return {
    isStream: seen?.isStream === true,
    tool: choice?.message.tool_calls?.[0]?.function.name,
    tokens: tokens === 0 ? undefined : tokens,
  };
}
