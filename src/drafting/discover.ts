/** DISCOVER: from an issue to a quantified goal, with questions where the answer changes what is built. */
import type { Requirement } from '../documents/documents.ts';
import { requirementDocument } from '../documents/requirement-document.ts';
import { cleanedLine } from '../guard/model-text.ts';
import type { Answer } from '../loop/answers.ts';
import type { ModelCall } from '../loop/brief.ts';
import { defect } from '../loop/defect.ts';
import type { Event } from '../loop/event.ts';
import type { Goal } from '../loop/goal.ts';
import type { AnsweredQuestion, Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { createDrafting, type Drafting, draftedEvent, measured, stamp, storeDocuments } from './drafting.ts';
import { answersBlock, askedOf, fileBlocks, guidanceBlocks, issueBlock, scanBlock, scanOf } from './material.ts';
import type { Block } from './prompt.ts';

/** Asks once per loop; afterwards, or when nothing is to be asked, writes the requirement. */
export async function discover(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const material = await materialFor(loop, ports);
  if (!wasInterviewed(loop)) {
    const { questions } = await interview(drafting, material);
    if (questions.length > 0) return { type: 'asked', ...stamp(drafting), questions, calls: [...drafting.calls] };
  }
  return writeRequirement(drafting, material);
}

function interview(drafting: Drafting, material: readonly Block[]): Promise<Answer<'interview'>> {
  const task =
    'Which questions must people answer before this can be specified? Ask only what the issue and the repository leave open.';
  return drafting.ask('interview', task, [...material, ...guidanceBlocks(drafting.loop)]);
}

/** What people would be asked, and nothing more: one call, which belongs to no loop. */
export async function questionsFor({ loop, ports }: Pick<Drafting, 'loop' | 'ports'>): Promise<Previewed> {
  const drafting = createDrafting('DISCOVER', loop, ports, 'unbooked');
  const { questions } = await interview(drafting, await materialFor(loop, ports));
  return { questions, calls: drafting.calls };
}

export interface Previewed extends Pick<Answer<'interview'>, 'questions'> {
  readonly calls: readonly ModelCall[];
}

async function materialFor(loop: StartedLoop, ports: Ports): Promise<readonly Block[]> {
  const scan = await scanOf(loop, ports);
  return [scanBlock(scan), ...(await fileBlocks(loop, ports, scan, askedOf(loop))), issueBlock(loop)];
}

function wasInterviewed({ counters, questions }: Loop): boolean {
  return counters.interviews > 0 || questions.length > 0;
}

async function writeRequirement(drafting: Drafting, material: readonly Block[]): Promise<Event> {
  const { loop } = drafting;
  const task = 'Write the requirement: the goal with its numbers, what must not change, and every assumption.';
  const blocks = [...material, ...answersBlock(loop), ...guidanceBlocks(loop)];
  const requirement = withGoal(await drafting.ask('requirement', task, blocks), loop.started.goal);
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

/** What the goal block says is not left to a model: its numbers, limits of what may change, and surface stand in the requirement as they are. */
function withGoal(written: Requirement, goal: Goal | undefined): Requirement {
  if (goal === undefined) return written;
  const { kind, objective, metrics, boundaries, surface, termination } = goal;
  const named = new Set(metrics.map(({ name }) => name));
  const ends = termination === undefined ? [] : [`It is done when: ${cleanedLine(termination)}`];
  return {
    ...written,
    kind,
    objective: cleanedLine(objective),
    surface: surface ?? written.surface,
    metrics: [...metrics, ...written.metrics.filter(({ name }) => !named.has(name))],
    boundaries: {
      paths: merged(boundaries.paths, written.boundaries.paths),
      operations: merged(boundaries.operations.map(cleanedLine), written.boundaries.operations),
    },
    assumptions: merged(ends, written.assumptions),
  };
}

function merged(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])];
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
