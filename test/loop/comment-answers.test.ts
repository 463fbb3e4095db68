/** However many commands a comment holds, it is answered once; and people without write permission are answered once an hour. */
import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { CommandName } from '../../src/loop/people/commands.ts';
import { asking, atReview, building, published, sentences, started, upTo } from './stands.ts';
import { command, PERSON, timeOf } from './world.ts';

type Written = readonly (readonly [CommandName, string?])[];

/** What the intake makes of one comment. */
function comment(written: Written, over: Partial<Extract<Event, { type: 'commanded' }>> = {}): readonly Event[] {
  return written.map(([name, argument = ''], position) =>
    command(name, argument, timeOf(60), {
      position,
      ...(position + 1 < written.length && { more: true }),
      ...over,
    }),
  );
}

function hearing(loop: Loop, events: readonly Event[]): Loop {
  return events.reduce((sofar, event) => decide(sofar, event).loop, loop);
}

/** What people see of the answers, without the boards. */
function answersIn({ pending }: Loop): readonly unknown[] {
  return pending.flatMap((effect) => {
    if (effect.type === 'react') return effect.content;
    if (effect.type === 'reply') return effect.text;
    return effect.type === 'tell' ? { ...effect, key: '', type: '' } : [];
  });
}

const answersTo = (loop: Loop, events: readonly Event[]) => answersIn(hearing({ ...loop, pending: [] }, events));

const STRANGER = { permitted: false, role: 'read', by: { id: 5, login: 'noah', type: 'User' } } as const;

describe('a comment of several commands', () => {
  it('is answered by one reaction and one reply, which says what became of each', () => {
    const written: Written = [['context', 'Mind it.'], ['approve'], ['resume'], ['approve'], ['rerun', 'PLAN']];
    expect(answersTo(building(), comment(written))).toEqual([
      'confused',
      [
        '- `/context`: done.',
        '- `/approve`: There is no packet to approve now.',
        '- `/resume`: The loop is not paused.',
        '- `/rerun`: `/rerun` grants one more try after a stop; this loop has not stopped.',
      ].join('\n'),
    ]);
  });

  it('is answered by a reaction alone where all was done and nothing is to be said', () => {
    expect(answersTo(building(), comment([['context', 'a'], ['pause']]))).toEqual(['+1']);
  });

  it('says what is the same of several once', () => {
    const written: Written = [['approve'], ['stop'], ['accept', '1'], ['approve']];
    expect(answersTo(building(), comment(written, STRANGER))).toEqual([
      'confused',
      '- `/approve` and `/stop` need write permission.\n- `/accept` needs maintain permission.',
    ]);
  });

  it('has what it asks for below what is said of the others', () => {
    expect(answersTo(building(), comment([['status'], ['help'], ['status'], ['resume']]))).toEqual([
      'confused',
      { type: '', key: '', what: 'status', also: ['help'], said: '`/resume`: The loop is not paused.' },
    ]);
  });

  it('is answered when the last of them is decided on, also where one waits for the packet', () => {
    const publishing = upTo(started(), 'publish');
    const heard = hearing({ ...publishing }, comment([['approve'], ['resume']], { createdAt: timeOf(0) }));
    expect(answersIn(heard)).toEqual([]);
    const publish = heard.pending.find(({ type }) => type === 'publish');
    const after = settle(heard, publish?.key ?? '', published(heard)).loop;
    expect(answersIn(after)).toEqual([
      'confused',
      [
        '- `/resume`: The loop is not paused.',
        '- `/approve`: The packet changed after that comment was written; read the newest one and say `/approve` again.',
      ].join('\n'),
    ]);
    expect(after.unanswered).toEqual([]);
  });

  it('is answered when all of them waited for the packet', () => {
    const publishing = upTo(started(), 'publish');
    const heard = hearing(publishing, comment([['approve'], ['reject', 'x']], { createdAt: timeOf(0) }));
    const publish = heard.pending.find(({ type }) => type === 'publish');
    const after = settle(heard, publish?.key ?? '', published(heard)).loop;
    expect(answersIn(after)).toHaveLength(2);
    expect(after.unanswered).toEqual([]);
  });
});

describe('somebody without write permission', () => {
  const saying = (loop: Loop, commentId: number, minute: number, name: CommandName = 'approve') =>
    decide(loop, command(name, '', timeOf(minute), { ...STRANGER, commentId, permitted: name === 'status' })).loop;

  it('is told once an hour what is lacking, and gets a reaction meanwhile', () => {
    const first = saying({ ...building(), pending: [] }, 1, 60);
    expect(answersIn(first)).toEqual(['confused', '`/approve` needs write permission.']);
    const second = saying({ ...first, pending: [] }, 2, 119);
    expect(answersIn(second)).toEqual(['confused']);
    const third = saying({ ...second, pending: [] }, 3, 120);
    expect(answersIn(third)).toEqual(['confused', '`/approve` needs write permission.']);
    expect(third.courtesies).toHaveLength(1);
  });

  it('is shown once an hour how the loop stands, whatever else was refused', () => {
    const refused = saying({ ...building(), pending: [] }, 1, 60);
    const asked = saying({ ...refused, pending: [] }, 2, 61, 'status');
    expect(answersIn(asked)).toEqual(['+1', { type: '', key: '', what: 'status' }]);
    expect(answersIn(saying({ ...asked, pending: [] }, 3, 62, 'status'))).toEqual(['+1']);
  });

  it('gets no more than twenty reactions in that hour', () => {
    let loop: Loop = { ...building(), pending: [] };
    for (let id = 1; id <= 45; id += 1) loop = saying(loop, id, 60);
    expect(answersIn(loop).filter((one) => one === 'confused')).toHaveLength(20);
    expect(sentences(loop)).toHaveLength(1);
  });

  it('is always answered as the author who may answer the questions', () => {
    const answer = (commentId: number) =>
      command('answer', '9: x', timeOf(60), { ...STRANGER, permitted: true, commentId });
    expect(sentences(hearing(asking(), [answer(1), answer(2)])).slice(-2)).toHaveLength(2);
  });

  it('does not keep a maintainer from being told what was refused', () => {
    const said = (commentId: number) => command('release', '', timeOf(60), { commentId });
    expect(sentences(hearing(building(), [said(1), said(2)])).slice(-2)).toEqual([
      'There is no verified candidate to release now.',
      'There is no verified candidate to release now.',
    ]);
  });
});

describe('a line that is nearly a command', () => {
  const misspelt = (written: string): Event => ({
    ...{ type: 'misspelt', at: timeOf(60), by: PERSON, role: 'write', commentId: 99, written, meant: 'approve' },
  });

  it.each([
    ['/aprove', 'There is no `/aprove`; did you mean `/approve`?'],
    ['/approve?', '`/approve?` was not taken as a command; did you mean `/approve`? Then say it alone.'],
  ])('%s does nothing, and is answered with the one that was meant', (written, sentence) => {
    const loop = { ...atReview(), pending: [] };
    const after = decide(loop, misspelt(written)).loop;
    expect({ ...after, pending: [], seq: 0 }).toEqual({ ...loop, seq: 0 });
    expect(answersIn(after)).toEqual(['confused', sentence]);
  });

  it('is part of the one answer to its comment', () => {
    const [stop] = comment([['resume']], { more: true });
    if (stop === undefined) throw new RangeError('no command');
    expect(answersTo(building(), [stop, misspelt('/aprove')])).toEqual([
      'confused',
      '- `/resume`: The loop is not paused.\n- `/aprove`: There is no `/aprove`; did you mean `/approve`?',
    ]);
  });
});
