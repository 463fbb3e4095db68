/** requirement.md: the goal as people read it. Pure. */

import type { AnsweredQuestion } from '../loop/loop.ts';
import type { Requirement } from './documents.ts';
import { list, sections, table } from './markdown.ts';

/** Renders the requirement with the interview; what nobody confirmed is marked as an assumption. */
export function requirementDocument(requirement: Requirement, questions: readonly AnsweredQuestion[]): string {
  const { metrics, boundaries, stories } = requirement;
  return sections(requirement.title, [
    ['Objective', requirement.objective],
    [
      'Measured by',
      table(
        ['metric', 'target'],
        metrics.map(({ name, operator, value, unit }) => [name, `${operator} ${value} ${unit}`]),
      ),
    ],
    [
      'Stories',
      list(
        stories.map(({ as, want, so }) => `As ${as}, I want ${want}, so that ${so}.`),
        'None.',
      ),
    ],
    ['Answers', list(questions.filter(isAnswered).map(answerLine), 'Nothing had to be asked.')],
    ['Assumptions', list(assumptionsOf(requirement, questions), 'None.')],
    [
      'Boundaries',
      list(
        [
          ...boundaries.paths.map((path) => `\`${path}\` does not change`),
          ...boundaries.operations.map((operation) => `denied: ${operation}`),
        ],
        'None beyond the repository rules.',
      ),
    ],
    ['Out of scope', list(requirement.outOfScope, 'Nothing was named.')],
    ['Kind and surface', `${requirement.kind}, reached as ${requirement.surface}.`],
  ]);
}

/** What nobody confirmed: the defaults of questions without an answer first, and what has none before all others. */
export function assumptionsOf(
  { assumptions }: Pick<Requirement, 'assumptions'>,
  questions: readonly AnsweredQuestion[],
): readonly string[] {
  const isOpen = ({ answer, safeDefault }: AnsweredQuestion): boolean => answer === undefined && safeDefault === null;
  const asked = questions.filter(isAssumed).toSorted((left, right) => Number(isOpen(right)) - Number(isOpen(left)));
  return [...asked.map(assumptionLine), ...assumptions];
}

function isAnswered({ answer, assumed }: AnsweredQuestion): boolean {
  return answer !== undefined && !assumed;
}

function isAssumed(question: AnsweredQuestion): boolean {
  return !isAnswered(question);
}

function answerLine({ question, answer }: AnsweredQuestion): string {
  return `${question} ${answer ?? ''}`;
}

function assumptionLine({ question, answer, safeDefault }: AnsweredQuestion): string {
  const taken = answer ?? safeDefault;
  return taken === null
    ? `${question} Open: nothing may safely be assumed.`
    : `${question} ${taken} (safe default; nobody answered)`;
}
