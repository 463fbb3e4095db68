/** What people do about the questions of a loop: they answer them, or leave them to the safe defaults. Pure. */
import type { EventOf } from '../event.ts';
import type { AnsweredQuestion, Decision, Loop } from '../loop.ts';
import type { StartedLoop } from '../stages.ts';
import { emit, only } from '../walk.ts';
import { parseAnswers } from './commands.ts';
import { keyOf, say } from './people.ts';

type Commanded = EventOf<'commanded'>;

/** Keeps what was answered; one sentence where it answers no question. */
export function answer(loop: StartedLoop, event: Commanded): Decision | string {
  if (loop.waitingFor !== 'answers') return 'There are no open questions now.';
  const answers = parseAnswers(event.argument);
  if (answers.length === 0) return `Answer like this: \`/answer 1b 2a 3: free text\`. ${offersOf(loop)}`;
  const known = new Set(loop.questions.map(({ number }) => number));
  const stray = answers.find(({ number }) => !known.has(number));
  if (stray !== undefined) return `There is no question ${stray.number}; still open: ${openOf(loop).join(', ')}.`;
  const notOffered = loop.questions.find((question) => !isOffered(question, answers));
  if (notOffered !== undefined) {
    return `Question ${notOffered.number} offers ${keysOf(notOffered)}; say it in words of your own with \`/answer ${notOffered.number}: …\`.`;
  }
  return resolved(
    { ...loop, questions: loop.questions.map((question) => ({ ...question, ...answerTo(question, answers) })) },
    event,
  );
}

/** Takes the safe default of every question that is open; one sentence where one has none. */
export function assume(loop: StartedLoop, event: Commanded): Decision | string {
  if (loop.waitingFor !== 'answers') return 'There are no open questions now.';
  const unsafe = loop.questions.find(({ answer, safeDefault }) => answer === undefined && safeDefault === null);
  if (unsafe !== undefined)
    return `Question ${unsafe.number} has no safe default; answer it with \`/answer ${unsafe.number}: …\`.`;
  return resolved({ ...loop, questions: loop.questions.map((question) => assumedWhere(question)) }, event);
}

/** Goes on when no question is open; otherwise keeps what was answered and waits for the rest. */
function resolved(loop: StartedLoop, event: Commanded): Decision {
  const open = openOf(loop);
  if (open.length > 0) {
    return emit(
      only(loop),
      say(
        keyOf(event),
        'issue',
        `Still open: ${open.join(', ')}. Answer with \`/answer\`, or say \`/auto\` to take the safe defaults.`,
      ),
    );
  }
  const { waitingFor: _, ...rest } = loop;
  return {
    loop: { ...rest, status: 'working' },
    effects: [
      { type: 'draft', key: `${loop.entry}/draft/${loop.counters.interviews}`, phase: loop.phase, entry: loop.entry },
    ],
  };
}

/** Each open question with its options. */
function offersOf({ questions }: Loop): string {
  const open = questions.filter(({ answer }) => answer === undefined);
  const offers = open.map((question) =>
    question.options.length === 0
      ? `question ${question.number} takes words of your own`
      : `question ${question.number} offers ${keysOf(question)}`,
  );
  return `Still open: ${offers.join('; ')}.`;
}

function keysOf({ number, options }: AnsweredQuestion): string {
  return options.map(({ key }) => `\`${number}${key}\``).join(', ');
}

function openOf({ questions }: Loop): readonly number[] {
  return questions.filter(({ answer }) => answer === undefined).map(({ number }) => number);
}

/** A single letter is meant as an option. */
function isOffered({ number, options }: AnsweredQuestion, answers: ReturnType<typeof parseAnswers>): boolean {
  const said = answers.findLast((one) => one.number === number)?.answer ?? '';
  return options.length === 0 || !/^[a-z]$/i.test(said) || options.some(({ key }) => key === said);
}

function answerTo(question: AnsweredQuestion, answers: ReturnType<typeof parseAnswers>): Partial<AnsweredQuestion> {
  const found = answers.findLast(({ number }) => number === question.number);
  if (found === undefined) return {};
  return { answer: question.options.find(({ key }) => key === found.answer)?.text ?? found.answer, assumed: false };
}

function assumedWhere(question: AnsweredQuestion): AnsweredQuestion {
  return question.answer !== undefined || question.safeDefault === null
    ? question
    : { ...question, answer: question.safeDefault, assumed: true };
}
