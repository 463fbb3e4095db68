/** How comments are answered: however many commands one holds, with one reaction and one reply. Pure. */
import type { Effect } from '../effect.ts';
import type { EventOf } from '../event.ts';
import type { Decision, Loop } from '../loop.ts';
import { emit } from '../walk.ts';
import { reaches } from './commands.ts';
import { say } from './people.ts';
import type { Courtesy, Outcome } from './unanswered.ts';

type Said = EventOf<'commanded' | 'misspelt'>;

/** What the answer to a comment is named after. */
export function commentKeyOf({ commentId, at }: Pick<Said, 'commentId' | 'at'>): string {
  return `comment/${commentId ?? at}`;
}

/** Keeps what became of a command, and answers its comment where it was the last of it that is to be decided on. */
export function answering(decision: Decision, event: Said, became: Outcome): Decision {
  const { loop } = decision;
  const key = commentKeyOf(event);
  const open = loop.unanswered.find((one) => one.key === key);
  const outcomes = [...(open?.outcomes ?? []), became];
  const others = loop.unanswered.filter((one) => one !== open);
  const held = heldOf(loop, event, open?.held);
  if (held === 0) return answered({ ...decision, loop: { ...loop, unanswered: others } }, event, outcomes);
  const kept = { key, outcomes, ...(held !== undefined && { held }) };
  return { ...decision, loop: { ...loop, unanswered: [...others, kept] } };
}

/** How many commands of the comment are still to be decided on, once that is known. */
function heldOf({ held }: Loop, event: Said, before: number | undefined): number | undefined {
  if (event.type === 'commanded' && event.more === true) return before === undefined ? undefined : before - 1;
  if (before !== undefined) return before - 1;
  return held.filter((one) => one.type === 'commanded' && one.commentId === event.commentId).length;
}

function answered(decision: Decision, event: Said, outcomes: readonly Outcome[]): Decision {
  const isSteering = reaches(event.role, 'write') || outcomes.some(({ lacks, asks }) => !lacks && !asks);
  if (isSteering) return emit(decision, reactionTo(event, outcomes), ...replyTo(decision.loop, event, outcomes));
  const { loop } = decision;
  const before = courtesyTo(loop, event);
  const untold = outcomes.filter((one) => !before.told.includes(aboutOf(one)));
  const told = [...new Set([...before.told, ...untold.map(aboutOf)])];
  const others = loop.courtesies.filter(({ id, since }) => id !== event.by.id && isWithinHour(since, event.at));
  const courtesies = [...others, { ...before, comments: before.comments + 1, told }];
  const kept = { ...decision, loop: { ...loop, courtesies } };
  if (before.comments >= MOST_REACTIONS) return kept;
  return emit(kept, reactionTo(event, outcomes), ...(untold.length === 0 ? [] : replyTo(loop, event, untold)));
}

const HOUR_MS = 3600_000;
/** So many comments of somebody without write permission get a reaction within an hour. Each costs a request, of which GitHub takes only so many. */
const MOST_REACTIONS = 20;

function courtesyTo({ courtesies }: Loop, { by, at }: Said): Courtesy {
  const known = courtesies.find(({ id, since }) => id === by.id && isWithinHour(since, at));
  return known ?? { id: by.id, since: at, comments: 0, told: [] };
}

/** What was taken in in another order counts too. */
function isWithinHour(since: string, at: string): boolean {
  return Math.abs(Date.parse(at) - Date.parse(since)) < HOUR_MS;
}

function aboutOf({ asks }: Outcome): Courtesy['told'][number] {
  return asks ?? 'refused';
}

function reactionTo(event: Said, outcomes: readonly Outcome[]): Effect {
  const content = outcomes.every(({ done }) => done) ? '+1' : 'confused';
  return { type: 'react', key: `${commentKeyOf(event)}/react`, commentId: event.commentId ?? 0, content };
}

function replyTo(loop: Loop, event: Said, outcomes: readonly Outcome[]): readonly Effect[] {
  const key = commentKeyOf(event);
  const text = textOf(outcomes);
  const [what, ...also] = new Set(outcomes.flatMap(({ asks }) => asks ?? []));
  if (what !== undefined) {
    const more = { ...(text !== '' && { said: text }), ...(also.length > 0 && { also }) };
    return [{ type: 'tell', key: `${key}/tell`, what, ...more, ...(event.onIssue && { target: 'issue' }) }];
  }
  return text === '' ? [] : [say(key, targetOf(loop, event), text)];
}

/** People are answered where they asked; a comment on the pull request may come before the loop knows its number. */
function targetOf({ review }: Loop, { onIssue }: Said): 'issue' | 'pull' {
  return onIssue === true || review === undefined ? 'issue' : 'pull';
}

/** Nothing where nothing has to be said; of several commands each is named, and what holds for several is said once. */
function textOf(outcomes: readonly Outcome[]): string {
  const unread = outcomes.findLast((one) => one.unread !== undefined)?.unread;
  const rest = unread === undefined ? [] : [unreadSentence(unread)];
  const [first] = outcomes;
  if (first !== undefined && outcomes.length === 1)
    return [...(first.lacks === undefined ? [first.sentence ?? ''] : linesOf(outcomes)), ...rest].join('\n\n').trim();
  if (outcomes.every(({ sentence, lacks }) => sentence === undefined && lacks === undefined)) return rest.join('');
  const lines = linesOf(outcomes);
  return [lines.length === 1 ? lines.join('') : lines.map((line) => `- ${line}`).join('\n'), ...rest].join('\n\n');
}

function linesOf(outcomes: readonly Outcome[]): readonly string[] {
  const shown = outcomes.filter(({ asks }) => asks === undefined);
  const groups = Map.groupBy(shown, ({ lacks, sentence }) =>
    lacks === undefined ? (sentence ?? 'done.') : `!${lacks}`,
  );
  return [...groups].map(([what, group]) => {
    const names = [...new Set(group.map(({ written }) => `\`${written}\``))];
    const [{ lacks } = {}] = group;
    if (lacks !== undefined) return `${listed(names)} ${names.length === 1 ? 'needs' : 'need'} ${lacks}.`;
    return `${listed(names)}: ${what}`;
  });
}

function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

function unreadSentence(unread: number): string {
  const [was, it] = unread === 1 ? ['was', 'it'] : ['were', 'them'];
  return `Of one comment the first ten commands are read; ${unread} more in that one ${was} not, so say ${it} in another comment.`;
}
