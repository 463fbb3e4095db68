/** One try of a call: what is sent, to whom, and what came back of it. */
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionMessageParam } from 'openai/resources';
import { type CallContext, callHeaders } from '../loop/call-headers.ts';
import type { Purse } from '../loop/costs.ts';
import type { CallBook } from '../ports.ts';
import { type Failure, failureOf } from './model-failures.ts';
import { boundedFetch } from './model-fetch.ts';
import { patienceOf } from './model-patience.ts';
import { completionIn } from './model-stream.ts';

export interface ModelOptions {
  /** Ends before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Or what gives it anew for each call: then the endpoint is the App's own gateway, whose refusals are told in its words. */
  readonly apiKey: string | (() => Promise<string>);
  readonly model: string;
  /** For how long nothing may come in a try, before its answer begins or in the midst of it; a request may say another time. */
  readonly silenceMs?: number;
  readonly tries?: number;
  /** Pause after the first try; it grows with each further one. */
  readonly pauseMs?: number;
  /** For how long the App's gateway may be away before that is a failed try: it is restarted now and then, and its jobs go on. */
  readonly absenceMs?: number;
  /** Told once, where a call waits for it. */
  readonly log?: (line: string) => void;
  /** Whether the endpoint is our own scripted model, started by us; only that one's words are told to people. */
  readonly scripted?: boolean;
  /** Values that no answer may hold, besides the key: an endpoint that echoes one is not taken at its word. */
  readonly canaries?: readonly string[];
  readonly fetch?: typeof globalThis.fetch;
}

/** Some models think for minutes before the first word. */
const SILENCE_MS = 300_000;
const ABSENCE_MS = 600_000;

export type Settings = Required<Omit<ModelOptions, 'fetch' | 'apiKey'>> & {
  readonly client: OpenAI;
  readonly key: () => Promise<string>;
  /** Whether the endpoint is the App's gateway. */
  readonly isGateway: boolean;
  readonly fetch: ReturnType<typeof boundedFetch>;
};

/** What is sent, whatever is made of the answer. */
export interface Sendable {
  readonly context: CallContext;
  /** What is asked for, as the error names it. */
  readonly wanted: string;
  readonly messages: readonly ChatCompletionMessageParam[];
  readonly body: Pick<ChatCompletionCreateParamsNonStreaming, 'response_format' | 'tools'>;
  readonly silenceMs: number;
  readonly purse: Purse | undefined;
  readonly book: CallBook | undefined;
}

export function settingsOf(options: ModelOptions): Settings {
  const { baseUrl, apiKey, model, silenceMs = SILENCE_MS, tries = 3, pauseMs = 500, scripted = false } = options;
  const { absenceMs = ABSENCE_MS, log = () => undefined } = options;
  const client = new OpenAI({
    baseURL: baseUrl,
    // Each call brings its own.
    apiKey: 'none',
    maxRetries: 0,
    // Each call has a patience of its own.
    timeout: 2 ** 31 - 1,
    // Nothing from the environment: the App says where it calls and as whom, and debug logs would hold prompts.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: 'off',
  });
  const isGateway = typeof apiKey !== 'string';
  // A token of GitHub's is another one each time, and no endpoint behind the gateway gets to see it.
  const canaries = [...(isGateway ? [] : [apiKey]), ...(options.canaries ?? [])];
  const key = isGateway ? apiKey : async () => apiKey;
  const fetch = boundedFetch(options.fetch ?? globalThis.fetch);
  return {
    ...{ baseUrl, model, silenceMs, tries, pauseMs, absenceMs, scripted, canaries, log },
    ...{ client, key, isGateway, fetch },
  };
}

export type Sent = { readonly completion: unknown } | { readonly failure: Failure };

/** Asks once; nothing that goes wrong is thrown. */
export async function send(
  settings: Settings,
  question: Sendable,
  messages: readonly ChatCompletionMessageParam[],
): Promise<Sent> {
  const patience = patienceOf(question.silenceMs);
  const { signal } = patience;
  try {
    const apiKey = await settings.key();
    const client = settings.client.withOptions({ apiKey, fetch: settings.fetch(patience.heard) });
    const asked = client.chat.completions.create(
      {
        ...question.body,
        model: settings.model,
        messages: [...messages],
        stream: true,
        stream_options: { include_usage: true },
      },
      { headers: callHeaders(question.context), signal },
    );
    return { completion: await completionIn(await asked.asResponse()) };
  } catch (error) {
    return { failure: failureOf(error, { ...settings, impatience: patience.problem() }) };
  } finally {
    patience.end();
  }
}
