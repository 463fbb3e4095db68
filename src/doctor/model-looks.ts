/** Looks at the model by one question: whether it answers, by pieces, calls a tool, and says what it took. */
import {
  type Answered,
  type ModelFinding,
  refusalFinding,
  streamFinding,
  toolFinding,
  usageFinding,
} from '../onboarding/model.ts';
import { type Finding, NotLookedError, ok, unknown } from './finding.ts';
import { looksAt } from './look.ts';
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
    return 'problem' in asked ? row(refusalFinding(asked)) : ok(`\`${name}\` answers.`);
  },
  streams: (patient) => ofAnswer(patient, streamFinding),
  tools: (patient) => ofAnswer(patient, toolFinding),
  usage: (patient) => ofAnswer(patient, usageFinding),
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

async function ofAnswer(
  patient: Patient,
  findingOf: (answered: Answered) => ModelFinding,
): Promise<Finding | undefined> {
  if (isScripted(patient)) return undefined;
  const asked = await patient.model();
  if ('problem' in asked) throw new NotLookedError('the model gave no answer', 'Mend that first.');
  return row(findingOf(asked));
}

/** Titles are for the check of a repository. */
function row({ against: _, ...finding }: ModelFinding): Finding {
  return finding;
}
