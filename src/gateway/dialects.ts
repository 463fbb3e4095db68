/** The languages in which agents ask models, as one table; a request passes in its own, and is never translated. */

/** Where a dialect's requests go. */
export interface Upstream {
  /** As the dialect's own SDK takes it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The one model that is asked. */
  readonly model: string;
}

export const DIALECT_NAMES = ['chat', 'responses', 'anthropic'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];
export type Upstreams = { readonly [Name in DialectName]?: Upstream | undefined };

type Body = Readonly<Record<string, unknown>>;

/** Under the App's own address: the base URL of OpenAI's SDKs. */
export const CHAT_BASE = '/gateway/v1';

export interface Dialect {
  /** Under the App's own address: that before `/chat` or `/responses`, or before `/v1/messages`, is the base URL of an SDK. */
  readonly path: string;
  /** Under the upstream's base URL. */
  readonly upstreamPath: string;
  readonly variables: { readonly baseUrl: string; readonly key: string };
  /** Headers in which an SDK of the dialect sends its key, and a job its token. */
  readonly tokenIn: readonly ('authorization' | 'x-api-key')[];
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>;
  /** Fields that bound the tokens of an answer. */
  readonly bounds: readonly string[];
  /** What is added to a request, so that its answer states what it took. */
  readonly metered: (body: Body) => Body;
}

const bearer: Dialect['keyHeaders'] = (key) => ({ authorization: `Bearer ${key}` });
const asItIs: Dialect['metered'] = (body) => body;

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  chat: {
    path: `${CHAT_BASE}/chat/completions`,
    upstreamPath: '/chat/completions',
    variables: { baseUrl: 'LLM_BASE_URL', key: 'LLM_API_KEY' },
    tokenIn: ['authorization'],
    keyHeaders: bearer,
    bounds: ['max_completion_tokens', 'max_tokens'],
    // One more piece, without a choice, at the end of a stream; it is not taken out again for those who did not ask for it.
    metered: (body) =>
      body.stream === true
        ? { ...body, stream_options: { ...objectIn(body.stream_options), include_usage: true } }
        : body,
  },
  responses: {
    path: `${CHAT_BASE}/responses`,
    upstreamPath: '/responses',
    variables: { baseUrl: 'LLM_RESPONSES_BASE_URL', key: 'LLM_RESPONSES_API_KEY' },
    tokenIn: ['authorization'],
    keyHeaders: bearer,
    bounds: ['max_output_tokens'],
    metered: asItIs,
  },
  anthropic: {
    path: '/gateway/anthropic/v1/messages',
    upstreamPath: '/v1/messages',
    variables: { baseUrl: 'LLM_ANTHROPIC_BASE_URL', key: 'LLM_ANTHROPIC_API_KEY' },
    tokenIn: ['authorization', 'x-api-key'],
    keyHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    bounds: ['max_tokens'],
    metered: asItIs,
  },
};

function objectIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
