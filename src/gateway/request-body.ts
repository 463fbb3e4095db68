/** What of a job's request reaches the upstream: all of it but the model, where nothing in it would cost beside its tokens. Pure. */
import { z } from 'zod';
import { DIALECTS, type Dialect } from './dialects.ts';
import { Refusal } from './refusal.ts';
import { tokensIn } from './usage.ts';

export interface Prepared {
  readonly text: string;
  readonly isStream: boolean;
  /** How many the answer consists of. */
  readonly answers: number;
  /** What it is expected to take, before it is made. */
  readonly expected: { readonly promptTokens: number; readonly completionTokens: number; readonly estimated: true };
}

const requestBody = z.record(z.string(), z.unknown());
type Body = z.infer<typeof requestBody>;

/** Tools that the upstream performs itself; those of the job are told from them by their type. */
const HOSTED = /^(?:web_search|web_fetch|code_execution|code_interpreter|file_search|image_generation|mcp|advisor)/;
const tool = z.object({ type: z.string() });

interface Rule {
  readonly breaks: (body: Body) => boolean;
  readonly sentence: string;
}

/** At the price of a token, or below it. */
const TIERS = ['auto', 'default', 'flex', 'standard_only'];

const COUNTS = ['n', ...new Set(Object.values(DIALECTS).flatMap(({ bounds }) => bounds))];
/** As many as any upstream gives: https://platform.openai.com/docs/api-reference/chat/create#chat-create-n */
const MOST_ANSWERS = 128;

const RULES: readonly Rule[] = [
  {
    breaks: ({ background }) => background === true,
    sentence: 'An answer that is made in the background tells nobody what it took; ask without `background`.',
  },
  {
    breaks: ({ stream }) => isGiven(stream) && typeof stream !== 'boolean',
    sentence: 'Whether an answer is streamed is true or false; ask with one of them, or without `stream`.',
  },
  {
    breaks: ({ previous_response_id, conversation, prompt }) =>
      [previous_response_id, conversation, prompt].some(isGiven),
    sentence:
      'What the upstream has kept of other calls costs tokens that nobody can tell before; ask without `previous_response_id`, `conversation` and `prompt`, with all that is to be read.',
  },
  {
    breaks: ({ service_tier: tier, speed, inference_geo: place }) =>
      !isOneOf(tier, TIERS) || !isOneOf(speed, ['standard']) || !isOneOf(place, ['global']),
    sentence:
      'A tier, speed or place of its own price is not in the budget; ask without `service_tier`, `speed` and `inference_geo`.',
  },
  {
    // Of gateways that stand between: OpenRouter, LiteLLM.
    breaks: ({ models, fallbacks, provider, plugins }) => [models, fallbacks, provider, plugins].some(isGiven),
    sentence:
      'Models, providers and plugins are chosen by the App; ask without `models`, `fallbacks`, `provider` and `plugins`.',
  },
  {
    breaks: ({ mcp_servers, web_search_options, search_parameters, tools }) =>
      [mcp_servers, web_search_options, search_parameters].some(isGiven) || hasHosted(tools),
    sentence:
      'A tool that the upstream performs itself costs beside the tokens, and reaches what the sandbox does not; offer tools of the job only.',
  },
];

/** What is wrong with what bounds an answer: below 1 some upstreams take it for none, and what all answers together may take has to be counted to the token. */
function miscountIn(body: Body): string | undefined {
  const most = (name: string) => (name === 'n' ? MOST_ANSWERS : Math.floor(Number.MAX_SAFE_INTEGER / answersOf(body)));
  const wrong = COUNTS.find((name) => isGiven(body[name]) && !isCount(body[name], most(name)));
  return (
    wrong &&
    `\`${wrong}\` is ${quoted(body[wrong])}; ask with a whole number from 1 to ${most(wrong)}, or without \`${wrong}\`.`
  );
}

function isCount(value: unknown, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
}

function answersOf({ n }: Body): number {
  return typeof n === 'number' ? n : 1;
}

const LONGEST_QUOTE = 100;

/** A number that no JSON can hold is one in JavaScript. */
function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value).slice(0, LONGEST_QUOTE);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return !isGiven(value) || allowed.includes(value);
}

function hasHosted(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((each) => HOSTED.test(tool.safeParse(each).data?.type ?? ''));
}

/** Tokens of an answer of which nothing is stated: as many as most models give at most, because calls are made at the same time only while what is left holds all of them. */
const EXPECTED_ANSWER = 32_000;
/** Of a prompt with pictures or documents, however many. */
const EXPECTED_OF_MEDIA = 200_000;

/**
 * The configured model stands in for whatever is named: agents ask for small models of their maker by name, which an upstream may not have, and none can pick a
 * dearer one than people approved the price of. @throws {Refusal} 400 for what is no request, or would cost beside its tokens.
 */
export function prepared(text: string, dialect: Dialect, model: string): Prepared {
  const body = bodyOf(text);
  const broken = RULES.find(({ breaks }) => breaks(body));
  const problem = broken?.sentence ?? miscountIn(body);
  if (problem !== undefined) throw new Refusal(400, problem);
  const sent = JSON.stringify(dialect.metered({ ...body, model }));
  const answers = answersOf(body);
  const completionTokens = answers * boundOf(body, dialect);
  return {
    text: sent,
    isStream: body.stream === true,
    answers,
    expected: { promptTokens: promptOf(sent), completionTokens, estimated: true },
  };
}

/** As it was parsed, and not as it was written: a name that stands twice would be read by us as the one and by the upstream as the other. */
function bodyOf(text: string): Body {
  try {
    return requestBody.parse(JSON.parse(text));
  } catch (cause) {
    throw new Refusal(400, 'The body of the call is no JSON object; send a request as the SDKs do.', { cause });
  }
}

/** As it is stated, however far above what an agent gets: what was reserved short is what a budget is passed by. Which of several bounds holds only the upstream knows. */
function boundOf(body: Body, { bounds }: Dialect): number {
  const stated = bounds.map((name) => body[name]).filter((value) => typeof value === 'number');
  return stated.length === 0 ? EXPECTED_ANSWER : Math.max(...stated);
}

/** In a text that JSON.stringify has written, where no word of a message looks so. */
const MEDIA =
  /(?<!\\)"type":"(?:image|image_url|input_image|file|input_file|document|audio|input_audio|video|video_url|input_video)"/;

/** By bytes: a character of Chinese is most of a token. What a picture or a document comes to does not show in the length of its address. */
function promptOf(sent: string): number {
  return tokensIn(Buffer.byteLength(sent)) + (MEDIA.test(sent) ? EXPECTED_OF_MEDIA : 0);
}
