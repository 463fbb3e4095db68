/** What each slash command does to a loop. Pure; one handler per row of COMMANDS. */
import type { Effect } from '../effect.ts';
import type { EventOf } from '../event.ts';
import type { Decision, Loop } from '../loop.ts';
import { renewPacket } from '../outcomes.ts';
import { PHASES } from '../phases.ts';
import { atRest, cancellationOf } from '../rest.ts';
import { promote } from '../shipping.ts';
import { isUnpaid, raisedBy, shortSentence } from '../shortage.ts';
import { isStarted, type StartedLoop } from '../stages.ts';
import { priority } from '../terms.ts';
import { findingOf } from '../waiver.ts';
import { emit, only } from '../walk.ts';
import { COMMANDS, type CommandName } from './commands.ts';
import { answering } from './comment-answers.ts';
import { isHandedOver, type Kept, sendBack } from './handed-over.ts';
import { answer, assume } from './interview.ts';
import { approve, isLive, isOlderThanPacket, keyOf, pause, replyKey, resume, resumeFirst, say } from './people.ts';
import { reject, tooMuch } from './rejection.ts';
import { rerun } from './rerun.ts';
import { slipSentence } from './slips.ts';

type Commanded = EventOf<'commanded'>;

/** Commands that only ask; they are answered before a label started anything too. */
const QUESTIONS = ['status', 'help'] as const;
type Question = (typeof QUESTIONS)[number];

/** So many characters of `/context` a loop takes: all of them are in each prompt. */
const MOST_CONTEXT = 20_000;

/** A handler gives the decision, or one sentence that says why not. */
type Handler = (loop: StartedLoop, event: Commanded) => Decision | Kept | string;

/** What sets a loop going is said alone: `/resume when the tests pass` asks for something that nobody waits for. What holds it back is obeyed in any case. */
const SAID_ALONE: readonly CommandName[] = ['release', 'auto', 'resume'];

const HANDLERS: Readonly<Record<Exclude<CommandName, Question>, Handler>> = {
  approve(loop, event) {
    const { review, waitingFor } = loop;
    if (waitingFor !== 'approval' || review === undefined) return 'There is no packet to approve now.';
    if (event.argument !== '')
      return 'A packet is approved as a whole: say `/approve` alone, or `/reject R2: …` for what should change.';
    if (isOlderThanPacket(loop, event.createdAt, event.commentId))
      return 'The packet changed after that comment was written; read the newest one and say `/approve` again.';
    return approve(loop, event, review.packet.digest);
  },
  reject: rejected,
  release: (loop) => (loop.waitingFor === 'release' ? promote(loop) : 'There is no verified candidate to release now.'),
  answer,
  auto: assume,
  pause: (loop, { by, createdAt }) =>
    loop.status === 'paused' || !isLive(loop)
      ? 'Nothing is running that could be paused.'
      : pause(loop, `Paused by @${by.login}; \`/resume\` goes on.`, createdAt),
  resume(loop) {
    if (loop.status !== 'paused') return 'The loop is not paused.';
    return isUnpaid(loop) ? `The loop cannot go on: ${shortSentence(loop)}` : resume({ ...loop, note: '' });
  },
  stop: (loop, { by }) =>
    isLive(loop)
      ? emit(only(atRest(loop, 'stopped', `Stopped by @${by.login}.`)), ...cancellationOf(loop))
      : 'There is no live loop to stop.',
  rerun,
  context(loop, { argument }) {
    if (argument === '') return 'Say what the next step should know: `/context <text>`.';
    const context = [...loop.context, argument];
    const length = context.join('').length;
    return length > MOST_CONTEXT
      ? `With this the loop would have ${length} characters of \`/context\`, and every step reads them all; ${MOST_CONTEXT} are the most, so nothing was added. Put the text into a file of the repository, and say where it is.`
      : only({ ...loop, context });
  },
  priority(loop, { argument }) {
    const wanted = priority.safeParse(argument.toLowerCase());
    return wanted.success
      ? only({ ...loop, priority: wanted.data })
      : 'Say `/priority vulnerability`, `/priority incident` or `/priority routine`.';
  },
  budget(loop, event) {
    const raised = raisedBy(loop, event);
    if (typeof raised === 'string') return raised;
    const { loop: next, what } = raised;
    const note = `@${event.by.login} raised ${what}.`;
    if (loop.pausedFor === 'budget')
      return isUnpaid(next)
        ? emit(only(next), say(keyOf(event), 'issue', `It is not enough yet: ${shortSentence(next)}`))
        : resume({ ...next, note });
    // People approved the price, and nothing else of it.
    if (loop.waitingFor !== 'approval' || next.started.limits.usd === loop.started.limits.usd) return only(next);
    return renewPacket({
      ...next,
      note: `@${event.by.login} raised ${what}, so the packet was renewed; that one is to be approved.`,
    });
  },
  waive,
  accept: (loop, event) => proposalDecided(loop, event, 'accepted'),
  decline: (loop, event) => proposalDecided(loop, event, 'declined'),
};

/** Applies one command. What is to be said about it is part of the one answer to its comment. */
export function commanded(loop: Loop, event: Commanded): Decision {
  const { command, unread } = event;
  const named = { written: `/${command}`, ...(unread !== undefined && { unread }) };
  if (!event.permitted) return answering(only(loop), event, { ...named, done: false, lacks: needOf(command) });
  const reply = followed(loop, event) ?? heldBack(loop, event) ?? handled(loop, event);
  if (typeof reply === 'string') return answering(only(loop), event, { ...named, done: false, sentence: reply });
  if ('but' in reply) return answering(only(reply.loop), event, { ...named, done: false, sentence: reply.but });
  const { effects, sentence } = withoutWords(reply, event);
  const asked = isQuestion(command) ? { asks: command } : {};
  const said = sentence === undefined ? {} : { sentence };
  return answering({ loop: reply.loop, effects }, event, { ...named, done: true, ...said, ...asked });
}

/** A line that was meant as a command is answered with the one that was meant, and nothing is done. */
export function misspelt(loop: StartedLoop, event: EventOf<'misspelt'>): Decision {
  return answering(only(loop), event, { written: event.written, done: false, sentence: slipSentence(event) });
}

/** Takes out what a handler says of a command that it followed. */
function withoutWords({ effects }: Decision, event: Commanded): { effects: readonly Effect[]; sentence?: string } {
  const said = effects.find(({ key }) => key === replyKey(keyOf(event)));
  if (said?.type !== 'reply') return { effects };
  return { effects: effects.filter((effect) => effect !== said), sentence: said.text };
}

function isQuestion(command: CommandName): command is Question {
  return QUESTIONS.some((question) => question === command);
}

function handled(loop: Loop, event: Commanded): ReturnType<Handler> {
  const { command } = event;
  if (isQuestion(command)) return only(loop);
  if (!isStarted(loop)) return 'No loop was started here; the label `loop` starts one.';
  if (SAID_ALONE.includes(command) && event.argument !== '')
    return `\`/${command}\` takes nothing else, and "${event.argument.slice(0, 80)}" follows it, so nothing was done; say \`/${command}\` alone.`;
  return HANDLERS[command](loop, event);
}

function needOf(command: CommandName): string {
  const { who } = COMMANDS[command];
  return who === 'author' ? 'write permission or the authorship of the issue' : `${who} permission`;
}

/** What may still be said to a loop that another one of its issue followed: nothing that sets it going. */
const OF_THE_PAST: readonly CommandName[] = ['accept', 'decline', 'status', 'help'];

function followed({ ref }: Loop, { command, newer }: Commanded): string | undefined {
  if (newer === undefined || OF_THE_PAST.includes(command)) return undefined;
  const where = newer.pull === undefined ? `the issue #${ref.issue}` : `its pull request #${newer.pull}`;
  return `A newer loop of #${ref.issue} took its place, so this one does not go on; say \`/${command}\` on ${where}.`;
}

/** What each of these decides; a decision that a paused loop waits for is not taken. */
const DECIDES: Readonly<Partial<Record<CommandName, Loop['waitingFor']>>> = {
  approve: 'approval',
  reject: 'approval',
  release: 'release',
  answer: 'answers',
  auto: 'answers',
};

function heldBack({ status, phase, waitingFor }: Loop, { command }: Commanded): string | undefined {
  const awaited = waitingFor ?? PHASES[phase].waits;
  const isAwaited = awaited !== undefined && DECIDES[command] === awaited;
  return status === 'paused' && isAwaited ? resumeFirst(`\`/${command}\``) : undefined;
}

/** Lifts a finding of the last try; its name is made of the line that was found, so a line that changes is another finding. */
function waive(loop: StartedLoop, { argument, by, at }: Commanded): Decision | string {
  // People copy it with the code marks around it.
  const [finding = '', ...why] = argument.replaceAll('`', '').split(/\s+/);
  if (finding === '') return 'Say which finding, as its sentence names it, and why: `/waive W-3f9a2c0b1d4e <why>`.';
  if (loop.waivers.some((waiver) => waiver.finding === finding)) return `The finding ${finding} is waived already.`;
  if (!loop.feedback.some((defect) => findingOf(defect) === finding))
    return `The last try found nothing named "${finding}" that may be waived; secrets, gaps in the evidence, failed acceptance rows and path rules never may.`;
  return only({ ...loop, waivers: [...loop.waivers, { finding, by: by.login, at, reason: why.join(' ') }] });
}

function rejected(loop: StartedLoop, event: Commanded): ReturnType<Handler> {
  const { argument: message, at, by, createdAt: writtenAt, pull } = event;
  if (loop.waitingFor !== 'approval' && !isHandedOver(loop))
    return 'There is no packet to reject now, and no finished pull request; `/context <text>` tells the next step something.';
  if (isOlderThanPacket(loop, writtenAt, event.commentId))
    return 'The packet changed after that comment was written; read the newest one and say `/reject` again.';
  if (message === '') return 'Say what should change: `/reject <what to change>`.';
  const points = [{ message }];
  if (isHandedOver(loop)) return sendBack(loop, { at, by, writtenAt, pull, points, again: 'say `/reject`' });
  return tooMuch(points) ?? reject(loop, event, points);
}

/** A decision is written down; the App changes no configuration and no skill, so an accepted proposal says where its change belongs. */
function proposalDecided(loop: StartedLoop, event: Commanded, decision: 'accepted' | 'declined'): Decision | string {
  const index = Number(event.argument) - 1;
  if (event.argument === '') return `Say which proposal: \`/${event.command} 1\`.`;
  const proposal = loop.proposals[index];
  if (proposal === undefined)
    return `There is no proposal "${event.argument}"; there ${loop.proposals.length === 1 ? 'is' : 'are'} ${loop.proposals.length}.`;
  const told = only({
    ...loop,
    proposals: loop.proposals.map((one, at) => (at === index ? { ...one, decision, by: event.by.login } : one)),
  });
  return decision === 'declined'
    ? told
    : emit(told, say(keyOf(event), 'issue', WHERE_IT_BELONGS[proposal.type](proposal)));
}

type Proposal = Loop['proposals'][number];

const WHERE_IT_BELONGS: Readonly<Record<Proposal['type'], (proposal: Proposal) => string>> = {
  config: ({ target, change }) =>
    `To have it from the next loop on, change \`${target}\` in \`.github/loopwright.yml\` on the default branch: ${change}`,
  skill: ({ target, change }) =>
    `To have it from the next loop on, change the skill \`${target}\` in the directory that \`SKILLS_DIR\` names (a copy of the package's \`skills\`): ${change}`,
};
