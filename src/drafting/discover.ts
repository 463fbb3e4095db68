/** DISCOVER: from an issue to a quantified goal, with questions where the answer changes what is built. */
import type { Requirement } from '../documents/documents.ts';
import { requirementDocument } from '../documents/requirement-document.ts';
import { cleanedLine } from '../guard/model-text.ts';
import { defect } from '../loop/defect.ts';
import type { Event } from '../loop/event.ts';
import type { AnsweredQuestion, Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import { type Drafting, draftedEvent, measured, stamp, storeDocuments } from './drafting.ts';
import { answersBlock, askedOf, fileBlocks, guidanceBlocks, issueBlock, scanBlock, scanOf } from './material.ts';
import type { Block } from './prompt.ts';

/** Asks once per loop; afterwards, or when nothing is to be asked, writes the requirement. */
export async function discover(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const scan = await scanOf(loop, ports);
  const material = [scanBlock(scan), ...(await fileBlocks(loop, ports, scan, askedOf(loop))), issueBlock(loop)];
  if (!wasInterviewed(loop)) {
    const task =
      'Which questions must people answer before this can be specified? Ask only what the issue and the repository leave open.';
    const { questions } = await drafting.ask('interview', task, [...material, ...guidanceBlocks(loop)]);
    if (questions.length > 0) return { type: 'asked', ...stamp(drafting), questions, calls: [...drafting.calls] };
  }
  return writeRequirement(drafting, material);
}

function wasInterviewed({ counters, questions }: Loop): boolean {
  return counters.interviews > 0 || questions.length > 0;
}

async function writeRequirement(drafting: Drafting, material: readonly Block[]): Promise<Event> {
  const { loop } = drafting;
  const task = 'Write the requirement: the goal with its numbers, what must not change, and every assumption.';
  const blocks = [...material, ...answersBlock(loop), ...guidanceBlocks(loop)];
  const requirement = await drafting.ask('requirement', task, blocks);
  const open = loop.questions.filter(isOpen);
  const documents = await storeDocuments(drafting, {
    'requirement.md': requirementDocument(requirement, loop.questions.map(asShown)),
    'requirement.json': JSON.stringify(requirement, null, 2),
  });
  const measurements = [
    await measured(drafting, {
      name: 'goal_metrics',
      value: requirement.metrics.length,
      unit: 'count',
      source: 'drafting/discover',
      raw: requirement.metrics,
    }),
    await measured(drafting, {
      name: 'open_questions',
      value: open.length,
      unit: 'count',
      source: 'drafting/discover',
      raw: loop.questions,
    }),
  ];
  return draftedEvent(
    drafting,
    { documents, measurements, defects: defectsOf(requirement, open) },
    { surface: requirement.surface },
  );
}

/** An answer becomes part of a document that later prompts hold; like a model's words it comes in as people see it. */
function asShown(question: AnsweredQuestion): AnsweredQuestion {
  return question.answer === undefined ? question : { ...question, answer: cleanedLine(question.answer) };
}

/** Neither answered nor assumed, and nothing that may safely be assumed. */
function isOpen({ answer, safeDefault }: AnsweredQuestion): boolean {
  return answer === undefined && safeDefault === null;
}

function defectsOf(requirement: Requirement, open: readonly AnsweredQuestion[]): Defect[] {
  const unquantified = defect({
    rule: 'goal-metrics',
    message: 'The goal has no number to measure it by.',
    suggestion: 'Add a metric such as `test_pass_rate == 1` or `p95_ms <= 300`.',
  });
  return [
    ...(requirement.metrics.length === 0 ? [unquantified] : []),
    ...open.map(({ number, question }) =>
      defect({
        rule: 'open-question',
        about: String(number),
        message: `Question ${number} has neither an answer nor a safe default: ${question}`,
        suggestion: `Answer it with \`/answer ${number}: …\`.`,
      }),
    ),
  ];
}
