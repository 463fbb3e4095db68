/** What one question to the model came to: whether a loop can work with it, and what whoever runs the App does about it. Pure. */

import { TLS_TROUBLES } from './tls-trouble.ts';

/** What came of the question; nothing else of the answer is kept. */
export type AskedModel =
  /** `status` is undefined where nobody answered. */
  | { readonly problem: string; readonly status: number | undefined }
  | {
      readonly isStream: boolean;
      /** Which tool it called: the one that it was given, or another. */
      readonly tool: 'given' | 'another' | 'none';
      readonly tokens: number | undefined;
    };

export type Refused = Extract<AskedModel, { readonly problem: string }>;
export type Answered = Exclude<AskedModel, Refused>;

/** `It` is the model. */
export interface ModelFinding {
  readonly state: 'ok' | 'wrong' | 'unknown';
  readonly sentence: string;
  /** Given for all that is not ok. */
  readonly remedy?: string;
  /** Why no loop can work with it: what a title says of the model, without Markdown. */
  readonly against?: string;
}

type Row = readonly [isSo: (asked: Refused) => boolean, against: string, sentence: string, remedy: string];

const codeIn = (problem: string): string => /\((\w+)\)$/.exec(problem)?.[1] ?? '';

/** What a connection by TLS fails for, other than for the moment. */
const UNSECURED = TLS_TROUBLES.map(
  ({ isCode, says, remedy }): Row => [
    ({ status, problem }) => status === undefined && isCode.test(codeIn(problem)),
    says,
    `It ${says}`,
    remedy({ variable: 'LLM_BASE_URL', trusting: 'for the App' }),
  ],
);

/** The first that fits is told. */
const REFUSALS: readonly Row[] = [
  [
    ({ status }) => status === 401 || status === 403,
    'refuses the key',
    'It refuses the key',
    'Set LLM_API_KEY to a key of this endpoint.',
  ],
  [
    ({ status }) => status === 402,
    'wants to be paid',
    'It wants to be paid',
    'Pay there, or set LLM_API_KEY to a key of an account that has credit.',
  ],
  [
    ({ status }) => status === 400 || status === 404 || status === 422,
    'is not known to its endpoint, or that is none for chat completions',
    'It does not know the model, or is no endpoint for chat completions',
    'Set LLM_MODEL to a name that the endpoint has, and LLM_BASE_URL to what stands before /chat/completions.',
  ],
  [
    ({ status, problem }) => status === undefined && /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|bad port/.test(problem),
    'cannot be reached',
    'It cannot be reached',
    'Start it, or correct LLM_BASE_URL.',
  ],
  ...UNSECURED,
  [
    ({ status }) => status !== undefined && status < 400,
    'answers with something else than a chat completion',
    'It gives nothing that can be used',
    'Set LLM_BASE_URL to what stands before /chat/completions, as https://api.openai.com/v1.',
  ],
];

/** Why it gave no answer. What may pass by itself is unknown. */
export function refusalFinding(asked: Refused): ModelFinding {
  const found = REFUSALS.find(([isSo]) => isSo(asked));
  if (found === undefined)
    return {
      state: 'unknown',
      sentence: `It gave no answer that tells: ${asked.problem}.`,
      remedy: 'Ask again later; if it stays so, see what the endpoint says.',
    };
  const [, against, sentence, remedy] = found;
  return { state: 'wrong', sentence: `${sentence}: ${asked.problem}.`, remedy, against };
}

export function streamFinding({ isStream }: Answered): ModelFinding {
  return isStream
    ? { state: 'ok', sentence: 'Its answers come piece by piece.' }
    : {
        state: 'wrong',
        sentence: 'Its answers come whole: a long one reads as silence, and ends the call.',
        remedy: 'Use an endpoint that obeys `stream: true`, or something before it that passes streams on.',
      };
}

const TOOL_REMEDY = 'Name a model that calls tools in LLM_MODEL.';

const TOOLS: Readonly<Record<Answered['tool'], ModelFinding>> = {
  given: { state: 'ok', sentence: 'It calls the tool that it is given.' },
  another: {
    state: 'wrong',
    sentence: 'It calls a tool that it was not given.',
    remedy: TOOL_REMEDY,
    against: 'calls a tool that it was not given',
  },
  none: {
    state: 'wrong',
    sentence: 'It calls no tool, and BUILD works by tools alone.',
    remedy: TOOL_REMEDY,
    against: 'calls no tool',
  },
};

export function toolFinding({ tool }: Answered): ModelFinding {
  return TOOLS[tool];
}

export function usageFinding({ tokens }: Answered): ModelFinding {
  return tokens === undefined
    ? {
        state: 'wrong',
        sentence: 'It does not say how many tokens a call took, so budgets go by estimates.',
        remedy: 'Use an endpoint that obeys `stream_options: {"include_usage": true}`.',
      }
    : { state: 'ok', sentence: `It says what a call took: ${tokens} tokens.` };
}

export interface ModelVerdict {
  /** Why no loop can work with it, as a title says it of the model; undefined where one can, or where nobody knows. */
  readonly against: string | undefined;
  /** All that is not ok with it; where nothing is, what it does. */
  readonly findings: readonly ModelFinding[];
}

/** What the answer means for a repository that is being set up. What a loop can do without, and what may pass, keeps nobody from beginning. */
export function modelVerdict(asked: AskedModel): ModelVerdict {
  const findings =
    'problem' in asked ? [refusalFinding(asked)] : [streamFinding, toolFinding, usageFinding].map((of) => of(asked));
  const troubles = findings.filter(({ state }) => state !== 'ok');
  return {
    against: troubles.find(({ against }) => against !== undefined)?.against,
    findings: troubles.length === 0 ? findings : troubles,
  };
}
