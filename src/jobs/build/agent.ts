/** The built-in agent: a linear list of messages, a few tools, limits in one place. That it says "done" proves nothing. */
import type { CallContext } from '../../loop/call-headers.ts';
import type { Message, Model, ToolCall } from '../../ports.ts';
import { shortened } from './history.ts';
import { performTool, type ToolContext, type ToolResult, toolDefinitions } from './tools.ts';

export interface Conversation {
  readonly model: Model;
  readonly context: CallContext;
  readonly system: string;
  readonly user: string;
  readonly tools: ToolContext;
  /** Tool calls at most. */
  readonly steps: number;
  /** Milliseconds since the epoch; no further turn begins after it. */
  readonly until: number;
  readonly now: () => number;
  /** Keeps the transcript; called after every step, so that a crash leaves evidence. */
  readonly save: (messages: readonly Message[]) => Promise<void>;
}

/** Why the conversation ended; only `submitted` is the model's own wish. */
export type Ending = 'submitted' | 'out of steps' | 'out of time' | 'no usable tool call';

const PATIENCE = 3;

/** What people read about an ending that the model did not wish, and what they can do; undefined for `submitted`. */
export const UNFINISHED: Readonly<Record<Ending, { readonly why: string; readonly remedy: string } | undefined>> = {
  submitted: undefined,
  'out of steps': {
    why: 'its tool calls were used up',
    remedy: 'Smaller tasks need fewer tool calls; `/rerun PLAN` makes a new plan.',
  },
  'out of time': {
    why: 'its time was used up',
    remedy: 'Smaller tasks need less time; `/rerun PLAN` makes a new plan.',
  },
  'no usable tool call': {
    why: `the model made no usable tool call in ${PATIENCE} turns in a row`,
    remedy: 'See that the model supports tool calls, or name another model.',
  },
};
const NOT_PERFORMED: ToolResult = { text: 'Not performed: out of steps.', status: 'refused' };
const USE_A_TOOL = 'Use a tool, or call submit when the task is done.';

/** Talks until the model submits or a limit is reached. @throws {ModelError} from the model. */
export async function converse(conversation: Conversation): Promise<Ending> {
  const { model, context, save } = conversation;
  const transcript: Message[] = [
    { role: 'system', content: conversation.system },
    { role: 'user', content: conversation.user },
  ];
  const tools = toolDefinitions(conversation.tools);
  let messages: readonly Message[] = [...transcript];
  await save(transcript);
  let used = 0;
  let unusable = 0;
  let limit = limitOf(conversation, used, unusable);
  while (limit === undefined) {
    const { content, toolCalls } = await model.turn({ context, messages, tools });
    const results = await performAll(toolCalls, conversation.tools, conversation.steps - used);
    const ask: readonly Message[] = toolCalls.length === 0 ? [{ role: 'user', content: USE_A_TOOL }] : [];
    const said: readonly Message[] = [
      { role: 'assistant', content, toolCalls },
      ...results.map(({ message }) => message),
      ...ask,
    ];
    transcript.push(...said);
    messages = shortened([...messages, ...said]);
    await save(transcript);
    if (results.some(({ status }) => status === 'submitted')) return 'submitted';
    used += toolCalls.length;
    unusable = results.every(({ status }) => status === 'malformed') ? unusable + 1 : 0;
    limit = limitOf(conversation, used, unusable);
  }
  return limit;
}

/** All limits of a conversation, in one place. */
function limitOf({ steps, until, now }: Conversation, used: number, unusable: number): Ending | undefined {
  if (unusable >= PATIENCE) return 'no usable tool call';
  if (used >= steps) return 'out of steps';
  return now() >= until ? 'out of time' : undefined;
}

/** Performs the calls in order; every call gets a result, as the protocol wants, also one that is past the limit. */
async function performAll(calls: readonly ToolCall[], tools: ToolContext, left: number) {
  const results: { readonly message: Message; readonly status: ToolResult['status'] }[] = [];
  for (const [index, call] of calls.entries()) {
    const result = index < left ? await performTool(call, tools) : NOT_PERFORMED;
    const message = { role: 'tool', toolCallId: call.id, content: result.text } as const;
    results.push({ message, status: result.status });
  }
  return results;
}
