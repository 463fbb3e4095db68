/** What people see: everything once, everything they said heard, and in the end the truth. */

import { storedRemarks } from '../../../src/documents/review-remarks.ts';
import { storedUnplanned } from '../../../src/documents/unplanned-files.ts';
import { storedVerifyReport } from '../../../src/documents/verify-report.ts';
import { commandLines } from '../../../src/guard/incoming.ts';
import { isCommand, parseCommands } from '../../../src/loop/people/commands.ts';
import { isStarted } from '../../../src/loop/stages.ts';
import { idOf } from '../../../src/loop/terms.ts';
import { issueBoard, pullBody } from '../../../src/render/board.ts';
import { APP } from '../github/hub.ts';
import { markOf } from '../github/talk-operations.ts';
import { markdown } from '../github/texts.ts';
import { loopsOf, type World } from '../world/world.ts';
import type { Invariant } from './invariants.ts';

export const TALK: readonly Invariant[] = [
  {
    name: 'nothing-visible-twice',
    sentence:
      'No comment of the App stands twice, no comment of a person is answered twice, and no branch has two open pull requests.',
    end({ hub }) {
      const own = [...hub.comments.values()].filter(({ by, deleted }) => by === APP && !deleted);
      const marks = Map.groupBy(own, ({ number, body }) => `${number} ${subjectOf(body)}`);
      const twice = [...marks].find(([, comments]) => comments.length > 1);
      const open = Map.groupBy(
        [...hub.pulls.values()].filter(({ state }) => state === 'open'),
        ({ branch }) => branch,
      );
      const reacted = [...hub.comments.values()].find(({ reactions }) => reactions.size > 1);
      return twice?.[0] ?? reacted?.body ?? [...open].find(([, pulls]) => pulls.length > 1)?.[0];
    },
  },
  {
    name: 'said-once-heard-once',
    sentence: 'Each command of a person is decided on once: not lost, not a second time.',
    end: (world) => misheard(world),
  },
  {
    name: 'strangers-left-alone',
    sentence: 'A word on an issue where no loop was started is not answered.',
    end({ hub, database }) {
      const started = new Set(
        [...database.loops.values()].filter(({ loop }) => loop.started !== undefined).map(({ loop }) => loop.ref.issue),
      );
      const labelled = new Set(
        [...database.logs]
          .filter(([, log]) => log.some(({ event }) => event?.type === 'labelled'))
          .map(([id]) => Number(id.split('/')[1])),
      );
      const answer = [...hub.comments.values()].find(
        ({ by, number }) => by === APP && !started.has(number) && !labelled.has(number) && !hub.pulls.has(number),
      );
      return answer && `#${answer.number}: ${answer.body.slice(0, 80)}`;
    },
  },
  {
    name: 'board-tells-the-truth',
    sentence: 'At rest the board on the issue and the text of the pull request say where the loop is.',
    end: (world) => untrueBoard(world),
  },
];

/** What a comment of the App is: its mark; where it answers a comment, that one, however many commands it holds. */
function subjectOf(body: string): string {
  const [mark = ''] = body.split('\n');
  return /comment\/\d+/.exec(mark)?.[0] ?? mark;
}

function misheard({ crowd, database, hub }: World): string | undefined {
  for (const comment of crowd.said) {
    const written = parseCommands(commandLines(comment.body, isCommand)).length;
    const heard = [...database.logs].map(([id, log]) => ({
      id,
      count: log.filter(({ event }) => event?.type === 'commanded' && event.commentId === comment.id).length,
    }));
    const total = heard.reduce((sum, { count }) => sum + count, 0);
    const isKnown =
      [...database.logs.keys()].some((id) => id.split('/')[1] === String(comment.number)) ||
      hub.pulls.has(comment.number);
    if (total > written) return `"${comment.body}" of @${comment.by.login} was decided on ${total} times`;
    if (total < written && isKnown && hub.issues.has(comment.number))
      return `"${comment.body}" of @${comment.by.login} on #${comment.number} was decided on ${total} of ${written} times`;
  }
  return undefined;
}

/** The first line of a text that is not as it should be. */
function firstOther(text: string, right: string): string {
  const lines = right.split('\n');
  const other = text.split('\n').find((line, index) => line !== lines[index]);
  return other ?? `only a part of ${JSON.stringify(right.slice(text.length, text.length + 80))}`;
}

async function untrueBoard(world: World): Promise<string | undefined> {
  const { hub, store, outside } = world;
  const { modelFacts } = facts(world);
  for (const loop of loopsOf(world)) {
    if (!isStarted(loop) || !hub.issues.has(loop.ref.issue)) continue;
    const mark = markOf(`board/${loop.ref.n}`);
    const board = [...hub.comments.values()].find(
      ({ number, body, deleted }) => number === loop.ref.issue && !deleted && body.startsWith(mark.trim()),
    );
    if (board?.body !== mark + markdown(issueBoard(loop, modelFacts)))
      return `${idOf(loop.ref)} is ${loop.status} in ${loop.phase}, its board says: ${board?.body.split('\n')[2] ?? 'nothing'}`;
    const pull = loop.review === undefined ? undefined : hub.pulls.get(loop.review.pull);
    const told = {
      report: await storedVerifyReport(loop, store),
      remarks: await storedRemarks(loop, store),
      unplanned: await storedUnplanned(loop, store),
    };
    const right = markdown(pullBody(loop, modelFacts, told));
    if (pull !== undefined && pull.body !== right)
      return `${idOf(loop.ref)} is ${loop.status} in ${loop.phase}, its pull request says: ${firstOther(pull.body, right)}`;
  }
  void outside;
  return undefined;
}

function facts({ processes }: World) {
  const [first] = processes;
  if (first === undefined) throw new RangeError('No process ever ran.');
  return first.ports;
}
