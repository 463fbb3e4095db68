/** One comment per question round. */

import { inlined, paragraph } from '../documents/markdown.ts';
import type { AnsweredQuestion } from '../loop/loop.ts';
import type { StartedLoop } from '../loop/stages.ts';

/** The open questions with their options and defaults; mentions who wrote the issue. */
export function questionsComment({ questions, started: { issue }, counters }: StartedLoop): string {
  const who = `@${issue.author.login}, `;
  const count = questions.length === 1 ? 'one question decides' : `${questions.length} questions decide`;
  const unsafe = questions.filter(({ safeDefault }) => safeDefault === null).map(({ number }) => number);
  const auto =
    unsafe.length === 0
      ? 'or `/auto` to take every default'
      : `or \`/auto\` to take the defaults once ${unsafe.length === 1 ? `question ${unsafe[0]} is` : `questions ${unsafe.join(', ')} are`} answered`;
  return [
    `${who}${count} what is built${counters.interviews > 1 ? ` (round ${counters.interviews})` : ''}.`,
    ...questions.map(questionText),
    `Answer like this: \`/answer ${exampleOf(questions)}\`, ${auto}.`,
  ].join('\n\n');
}

export type ShownQuestion = Pick<AnsweredQuestion, 'number' | 'question' | 'why' | 'options' | 'safeDefault'>;

/** One question with its options and its default. */
export function questionText({ number, question, why, options, safeDefault }: ShownQuestion): string {
  const lines = options.map(
    ({ key, text }) =>
      `- ${key}: ${inlined(text)}${text === safeDefault || key === safeDefault ? ' **(default)**' : ''}`,
  );
  const named = options.some(({ key, text }) => text === safeDefault || key === safeDefault);
  const fallback =
    safeDefault === null
      ? 'There is no safe default; the loop waits for an answer.'
      : `Default: ${inlined(safeDefault)}`;
  return [`**${number}. ${inlined(question)}**`, paragraph(why), ...lines, ...(named ? [] : [fallback])].join('\n');
}

function exampleOf(questions: readonly AnsweredQuestion[]): string {
  return questions
    .map(({ number, options }) => (options[0] === undefined ? `${number}: your words` : `${number}${options[0].key}`))
    .join(' ');
}
