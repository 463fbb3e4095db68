/** Looks at the model by one question: whether it answers, by pieces, calls a tool, and says what it took. */
import { type Finding, NotLookedError, ok, unknown, wrong } from './finding.ts';
import { looksAt } from './look.ts';
import { type AskedModel, TOOL } from './model-question.ts';
import type { Patient } from './patient.ts';

export const modelLooks = looksAt('model', {
  answers: async (patient) => {
    const name = patient.environment.model.LLM_MODEL;
    if (isScripted(patient))
      return unknown(
        'Its answers are authored (LOOPWRIGHT_SCRIPTED), so it was asked nothing.',
        'Name a model with LLM_BASE_URL and LLM_MODEL.',
      );
    const asked = await patient.model();
    return 'problem' in asked ? refusalOf(asked) : ok(`\`${name}\` answers.`);
  },
  streams: (patient) =>
    ofAnswer(patient, ({ isStream }) =>
      isStream
        ? ok('Its answers come piece by piece.')
        : wrong(
            'Its answers come whole: a long one reads as silence, and ends the call.',
            'Use an endpoint that obeys `stream: true`, or something before it that passes streams on.',
          ),
    ),
  tools: (patient) =>
    ofAnswer(patient, ({ tool }) =>
      tool === TOOL
        ? ok('It calls the tool that it is given.')
        : wrong(
            tool === undefined
              ? 'It calls no tool, and BUILD works by tools alone.'
              : 'It calls a tool that it was not given.',
            'Name a model that calls tools in LLM_MODEL.',
          ),
    ),
  usage: (patient) =>
    ofAnswer(patient, ({ tokens }) =>
      tokens === undefined
        ? wrong(
            'It does not say how many tokens a call took, so budgets go by estimates.',
            'Use an endpoint that obeys `stream_options: {"include_usage": true}`.',
          )
        : ok(`It says what a call took: ${tokens} tokens.`),
    ),
  price: async ({ environment: { model } }) =>
    model.LLM_PRICE === undefined
      ? unknown(
          'What it costs is not known: `limits.usd` and the budget of a plan cannot be kept.',
          'Set LLM_PRICE, as 0.25/2: USD per million tokens in and out.',
        )
      : ok(`A million tokens cost ${model.LLM_PRICE.replace('/', ' USD in and ')} USD out.`),
  'other endpoints': async ({ environment }) =>
    environment.hasOtherEndpoints
      ? unknown('The endpoints for other agents were asked nothing.', 'Start an agent in a job that uses one.')
      : undefined,
});

function isScripted({ environment }: Patient): boolean {
  return environment.app.LOOPWRIGHT_SCRIPTED === true;
}

type Answered = Exclude<AskedModel, { readonly problem: string }>;

async function ofAnswer(patient: Patient, findingOf: (answered: Answered) => Finding): Promise<Finding | undefined> {
  if (isScripted(patient)) return undefined;
  const asked = await patient.model();
  if ('problem' in asked) throw new NotLookedError('the model gave no answer', 'Mend that first.');
  return findingOf(asked);
}

const REFUSALS: readonly (readonly [isSo: (asked: Refused) => boolean, sentence: string, remedy: string])[] = [
  [
    ({ status }) => status === 401 || status === 403,
    'It refuses the key',
    'Set LLM_API_KEY to a key of this endpoint.',
  ],
  [
    ({ status }) => status === 400 || status === 404 || status === 422,
    'It does not know the model, or is no endpoint for chat completions',
    'Set LLM_MODEL to a name that the endpoint has, and LLM_BASE_URL to what stands before /chat/completions.',
  ],
  [
    ({ status, problem }) => status === undefined && /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH/.test(problem),
    'It cannot be reached',
    'Start it, or correct LLM_BASE_URL.',
  ],
  [
    ({ status }) => status !== undefined && status < 400,
    'It answers with something else than a chat completion',
    'Set LLM_BASE_URL to what stands before /chat/completions, as https://api.openai.com/v1.',
  ],
];

type Refused = Extract<AskedModel, { readonly problem: string }>;

function refusalOf(asked: Refused): Finding {
  const found = REFUSALS.find(([isSo]) => isSo(asked));
  if (found === undefined)
    return unknown(
      `It gave no answer that tells: ${asked.problem}.`,
      'Ask again later; if it stays so, see what the endpoint says.',
    );
  const [, sentence, remedy] = found;
  return wrong(`${sentence}: ${asked.problem}.`, remedy);
}
