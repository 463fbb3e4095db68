/** What a conversation still carries along: the task and what came last stay, old results and texts give way. Pure. */
import type { Message, ToolCall } from '../../ports.ts';

/** Characters of a conversation beyond which old parts are left out; about 50,000 tokens. */
export const HISTORY_CHARACTERS = 160_000;
/** Results that always stay, so that the model sees what it works on. */
export const KEPT_RESULTS = 8;
/** Once over the budget, a conversation is brought well below it: its beginning then stays the same for many turns, and a cache can serve it. */
const SHARE = 0.6;
const SHORT = 300;

/** The messages as they are sent. Every tool call keeps its result, as the protocol wants; system and task are never touched. */
export function shortened(messages: readonly Message[], budget = HISTORY_CHARACTERS): readonly Message[] {
  if (sizeOf(messages) <= budget) return messages;
  const results = messages.flatMap(({ role }, index) => (role === 'tool' ? [index] : []));
  const firstKept = results.at(-KEPT_RESULTS) ?? 0;
  let over = sizeOf(messages) - budget * SHARE;
  return messages.map((message, index) => {
    if (over <= 0 || index >= firstKept) return message;
    const short = withoutBulk(message);
    over -= sizeOf([message]) - sizeOf([short]);
    return short;
  });
}

function withoutBulk(message: Message): Message {
  if (message.role === 'tool' && message.content.length > SHORT)
    return { ...message, content: left(message.content, 'ask again if you need it') };
  if (message.role !== 'assistant') return message;
  const content = message.content.length > SHORT ? left(message.content, 'said earlier') : message.content;
  return { ...message, content, toolCalls: message.toolCalls.map(shortCall) };
}

/** A call whose arguments held a whole file; what it did is in the workspace. */
function shortCall(call: ToolCall): ToolCall {
  if (call.arguments.length <= SHORT) return call;
  return { ...call, arguments: JSON.stringify({ note: left(call.arguments, 'the call was performed') }) };
}

function left(text: string, hint: string): string {
  return `${text.slice(0, SHORT / 2).toWellFormed()}… [${text.length} characters left out of this conversation; ${hint}]`;
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.toolCalls : [];
    return sum + message.content.length + calls.reduce((all, call) => all + call.arguments.length, 0);
  }, 0);
}
