/** The model port over any endpoint that speaks OpenAI chat completions; every answer is parsed, every try is counted. */
import type { ChatCompletionMessageParam } from 'openai/resources';
import { BudgetError, ModelError } from '../errors.ts';
import { keptText } from '../guard/transcript.ts';
import { type Answer, type AnswerName, schemaOf } from '../loop/answers.ts';
import type { BookedCall, ModelCall } from '../loop/brief.ts';
import type { CallContext } from '../loop/call-headers.ts';
import { isEmpty, leftAfter } from '../loop/costs.ts';
import type { Message, Model, Said } from '../ports.ts';
import {
  answerFormat,
  answerParser,
  checkedWrong,
  expectedUsage,
  type Reading,
  readTurn,
  readUsage,
  toolsOf,
} from './model-format.ts';
import { type ModelOptions, type Sendable, type Sent, type Settings, send, settingsOf } from './model-send.ts';

export type { ModelOptions } from './model-send.ts';

interface Question<Value> extends Sendable {
  readonly read: (completion: unknown) => Reading<Value>;
  /** What is wrong with an answer that can be read; nothing where nobody checks. */
  readonly check: (value: Value) => Promise<readonly string[]> | readonly string[];
}

interface Asked<Value> {
  readonly value: Value;
  readonly calls: readonly ModelCall[];
}

/** Connects the model port to a chat completions endpoint. Prompts and answers never appear in its errors. */
export function createModel(options: ModelOptions): Model {
  const settings = settingsOf(options);
  return {
    async answer({ name, check = () => [], ...request }) {
      const { value, calls } = await ask(settings, { ...questionFor(name, request, settings), check });
      return { answer: value, calls };
    },
    async turn({ context, messages, tools, purse, silenceMs = settings.silenceMs }) {
      const { value, calls } = await ask(settings, {
        context,
        wanted: 'next step',
        messages: messages.map(wireMessage),
        body: toolsOf(tools),
        silenceMs,
        read: readTurn,
        check: () => [],
        purse,
        book: undefined,
      });
      return { ...value, calls };
    },
  };
}

function questionFor<Name extends AnswerName>(
  name: Name,
  request: Omit<Parameters<Model['answer']>[0], 'name' | 'check'>,
  { canaries, silenceMs }: Settings,
): Omit<Question<Answer<Name>>, 'check'> {
  const schema = schemaOf(name);
  return {
    context: request.context,
    wanted: name,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.user },
    ],
    body: { response_format: answerFormat(name, schema) },
    silenceMs: request.silenceMs ?? silenceMs,
    read: answerParser(schema, canaries),
    purse: request.purse,
    book: request.book,
  };
}

async function ask<Value>(settings: Settings, question: Question<Value>): Promise<Asked<Value>> {
  const calls: ModelCall[] = [];
  const failures: string[] = [];
  const readable: Value[] = [];
  let messages = question.messages;
  for (let attempt = 1; attempt <= settings.tries; attempt += 1) {
    refuseUnpaid(question, calls);
    const { call, reading, isFinal, pauseMs = 0, value } = await tryWhenThere(settings, question, messages);
    calls.push(call);
    if (reading.type === 'usable') return { value: reading.value, calls };
    failures.push(reading.what);
    readable.push(...value);
    if (isFinal) break;
    messages = [...question.messages, ...reading.correction];
    if (attempt < settings.tries) await pause(Math.max(settings.pauseMs * attempt, pauseMs));
  }
  const last = readable.at(-1);
  if (last !== undefined) return { value: last, calls };
  throw new ModelError(sentence(settings, question.wanted, failures), calls);
}

interface Tried<Value> {
  readonly call: ModelCall;
  readonly reading: Reading<Value>;
  /** Whether another try would fail in the same way. */
  readonly isFinal: boolean;
  /** How long it has to wait. */
  readonly pauseMs?: number | undefined;
  /** It was not made at all: the App's gateway is away. */
  readonly isAway: boolean;
  /** What could be read, whatever a check says of it. */
  readonly value: readonly Value[];
}

/** A try that did not reach the App's gateway counts as none, and is made again when that is there. */
async function tryWhenThere<Value>(
  settings: Settings,
  question: Question<Value>,
  messages: readonly ChatCompletionMessageParam[],
): Promise<Tried<Value>> {
  const { absenceMs, log, pauseMs } = settings;
  const untilMs = performance.now() + absenceMs;
  for (let waits = 1; ; waits += 1) {
    const tried = await tryOnce(settings, question, messages);
    if (!tried.isAway) return tried;
    if (performance.now() >= untilMs) return { ...tried, isFinal: true };
    if (waits === 1) log(`the App is away; waiting for it, up to ${Math.ceil(absenceMs / 60_000)} minutes`);
    await pause(Math.min(pauseMs * waits, LONGEST_WAIT_MS));
  }
}

const LONGEST_WAIT_MS = 5000;

async function tryOnce<Value>(
  settings: Settings,
  question: Question<Value>,
  messages: readonly ChatCompletionMessageParam[],
): Promise<Tried<Value>> {
  const { context, book } = question;
  const startedAt = performance.now();
  const id = await book?.reserve({ ...callOf(context, 0), ...expectedUsage(messages) });
  const sent = await send(settings, question, messages);
  const made = { ...callOf(context, performance.now() - startedAt), ...tokensOf(sent, messages) };
  if (id !== undefined) await book?.settle(id, made, saidIn(messages, sent, settings));
  const call: BookedCall = id === undefined ? made : { ...made, id };
  if ('failure' in sent) {
    const { what, final, pauseMs, isAway = false } = sent.failure;
    return { call, reading: failed(what), isFinal: final, pauseMs, isAway, value: [] };
  }
  const there = { call, isFinal: false, isAway: false };
  const read = question.read(sent.completion);
  if (read.type === 'unusable') return { ...there, reading: read, value: [] };
  const problems = await question.check(read.value);
  const reading = problems.length === 0 ? read : checkedWrong<Value>(read.text, problems);
  return { ...there, reading, value: [read.value] };
}

/** The schema or the tools of a request are the App's own, and are not kept with each. */
function saidIn(messages: readonly ChatCompletionMessageParam[], sent: Sent, { canaries }: Settings): Said {
  const request = keptText(JSON.stringify(messages, null, 2), canaries);
  return 'failure' in sent
    ? { request, answer: keptText(sent.failure.what, canaries), ending: 'broken' }
    : { request, answer: keptText(JSON.stringify(sent.completion, null, 2), canaries), ending: 'whole' };
}

/** @throws {BudgetError} where nothing is left after these calls. */
function refuseUnpaid({ purse, wanted }: Sendable, calls: readonly ModelCall[]): void {
  if (isEmpty(leftAfter(purse, calls)))
    throw new BudgetError(`Nothing is left in the budget to ask the model for the ${wanted}.`, calls);
}

function failed(what: string): Reading<never> {
  return { type: 'unusable', what, correction: [] };
}

function callOf({ phase, skill, role, attempt }: CallContext, durationMs: number) {
  return { phase, skill, role, attempt, durationMs: Math.round(durationMs) };
}

/** A try without an answer may have been paid for; nobody says so, and it counts as none. */
function tokensOf(sent: Sent, messages: readonly ChatCompletionMessageParam[]) {
  return 'completion' in sent ? readUsage(sent.completion, messages) : { promptTokens: 0, completionTokens: 0 };
}

function wireMessage(message: Message): ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== 'assistant') return message;
  const calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: message.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function sentence(settings: Settings, wanted: string, failures: readonly string[]): string {
  const tries = failures.length === 1 ? '1 try' : `${failures.length} tries`;
  return `The model at ${withoutCredentials(settings.baseUrl)} gave no usable ${wanted} in ${tries}: ${failures.join('; ')}.`;
}

function withoutCredentials(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
