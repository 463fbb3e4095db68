/** A model whose answers are authored: mostly good, sometimes such that a gate refuses them, sometimes none; all of them cost. */
import type { ZodType } from 'zod';
import { BudgetError, ModelError } from '../../../src/errors.ts';
import { ANSWERS, type Answer, type AnswerName } from '../../../src/loop/answers.ts';
import type { BookedCall, ModelCall } from '../../../src/loop/brief.ts';
import { isEmpty, leftAfter } from '../../../src/loop/costs.ts';
import type { CallBook, Model } from '../../../src/ports.ts';
import * as good from '../../drafting/authored.ts';
import type { Hub } from '../github/hub.ts';
import type { Life } from '../world/scheduler.ts';

/** One call that a process set out to make; `booked` once it knew that it was reserved. */
export interface Paid {
  readonly issue: string;
  booked: boolean;
}

interface Authored {
  readonly name: AnswerName;
  readonly good: unknown;
  /** Fits the schema, and fails a gate. */
  readonly poor: unknown;
}

const [firstTask] = good.plan.tasks;

const DIAGRAM = 'flowchart TD\n  a --> b';
const DIAGRAMS = {
  component: DIAGRAM,
  sequence: 'sequenceDiagram\n  a->>b: c',
  dataFlow: DIAGRAM,
  deployment: DIAGRAM,
};

/** What the critic sends back: to the architect, or to the writer of the specification. */
function found(cause: 'plan' | 'spec') {
  return { severity: 'high', cause, where: 'A-1', finding: 'It proves nothing.', action: 'Say what it proves.' };
}

const AUTHORED: readonly Authored[] = [
  { name: 'interview', good: { questions: [] }, poor: good.interview },
  { name: 'requirement', good: good.requirement, poor: good.requirement },
  { name: 'specification', good: good.specification, poor: good.specification },
  {
    name: 'spec-review',
    good: good.specReview,
    poor: { points: good.specReview.points.map((point) => ({ ...point, met: false })) },
  },
  { name: 'plan', good: good.plan, poor: { ...good.plan, tasks: firstTask === undefined ? [] : [firstTask] } },
  { name: 'analysis', good: good.analysis, poor: { ...good.analysis, findings: [found('plan')] } },
  { name: 'diagrams', good: DIAGRAMS, poor: { ...DIAGRAMS, component: '%%{init: {}}%%\nflowchart TD\n a --> b' } },
  { name: 'release', good: good.release, poor: good.release },
  { name: 'reflection', good: good.reflection, poor: { ...good.reflection, proposals: [] } },
];

export function createAuthoredModel(hub: Hub, life: Life, paid: Paid[]): Model {
  const { random, odds, scheduler } = hub;
  const callOf = (context: Parameters<Model['answer']>[0]['context']): ModelCall => ({
    phase: context.phase,
    skill: context.skill,
    role: context.role,
    attempt: context.attempt,
    promptTokens: random.integer(500, 8000),
    completionTokens: random.integer(50, 1500),
    durationMs: random.integer(500, 30_000),
  });
  const booked = async (call: ModelCall, loop: string, book: CallBook | undefined): Promise<BookedCall> => {
    const one: Paid = { issue: loop.replace(/^.*#/, ''), booked: false };
    paid.push(one);
    const id = await book?.reserve(call);
    one.booked = id !== undefined;
    await scheduler.sleep(1000 + random.around(random.chance(0.03) ? 200_000 : 12_000), life);
    if (id !== undefined)
      await book?.settle(id, call, { request: 'authored', answer: `${call.role} ${id}`, ending: 'whole' });
    return { ...call, ...(id !== undefined && { id }) };
  };
  return {
    async answer({ name, context, purse, book }) {
      const fails = !hub.calm && random.chance(odds.modelFails);
      const tries = fails ? 3 : random.chance(0.05) ? 2 : 1;
      const calls: BookedCall[] = [];
      while (calls.length < tries && !isEmpty(leftAfter(purse, calls)))
        calls.push(await booked(callOf(context), context.loop, book));
      if (calls.length < tries) throw new BudgetError(`Nothing is left to ask the model for the ${name}.`, calls);
      if (fails) throw new ModelError(`The model gave no usable "${name}" in 3 tries: malformed JSON.`, calls);
      const answer = authored(name, {
        poor: !hub.calm && random.chance(odds.draftFails),
        variant: random.integer(1, 9999),
      });
      return { answer, calls };
    },
    turn: () => Promise.reject(new Error('The App holds no conversations.')),
  };
}

/** The same table, told to the compiler per name. */
const SCHEMAS: { readonly [Name in AnswerName]: { readonly schema: ZodType<Answer<Name>> } } = ANSWERS;

/** No two plans are letter by letter the same, so an approval of one is none of another; half of what the critic sends back is the specification's fault. */
const VARIED: Readonly<
  Record<string, (answer: object, drawn: { readonly poor: boolean; readonly variant: number }) => object>
> = {
  plan: (answer, { variant }) => ({ ...answer, approach: `${good.plan.approach} Variant ${variant}.` }),
  analysis: (answer, { poor, variant }) =>
    poor && variant % 2 === 0 ? { ...answer, findings: [found('spec')] } : answer,
};

function authored<Name extends AnswerName>(
  name: Name,
  { poor, variant }: { readonly poor: boolean; readonly variant: number },
): Answer<Name> {
  const found = AUTHORED.find((one) => one.name === name);
  const answer = poor ? found?.poor : found?.good;
  const varied: unknown = VARIED[name]?.(Object(answer), { poor, variant }) ?? answer;
  return SCHEMAS[name].schema.parse(varied);
}
