/** A pull request that is ready can be sent back: to the next iteration, or further, within the same limits as everything. */
import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { LIMITS } from '../../src/loop/phases.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { checkedGreen, finished, promotedBy, READY_AT, reflecting } from './finished.ts';
import { building, driven, failure, pushed, review, runEnded, sentences, started, upTo } from './stands.ts';
import { command, timeOf } from './world.ts';

const say = (
  loop: Loop,
  name: 'reject' | 'rerun',
  argument: string,
  over: Partial<Extract<Event, { type: 'commanded' }>> = {},
) => decide(loop, command(name, argument, timeOf(90), over)).loop;
const asks = (loop: Loop, over: Parameters<typeof review>[0] = {}) =>
  decide(loop, review({ at: timeOf(90), submittedAt: timeOf(90), ...over })).loop;
const work = ({ pending }: Loop) =>
  pending.map(({ type }) => type).filter((type) => ['redraft', 'draft', 'dispatch', 'publish'].includes(type));

const COMMENTS = [
  { file: 'src/search.js', line: 3, body: 'Compare without accents.' },
  { file: 'src/page.js', line: 12, body: 'R2: label the field.' },
];

describe('a finished pull request', () => {
  it('is handed over: the loop succeeded', () => {
    expect(finished()).toMatchObject({ status: 'succeeded', phase: 'REFLECT', requested: [] });
  });

  it.each([
    ['/reject', (loop: Loop) => say(loop, 'reject', 'Compare without accents.')],
    ['a review with a summary', (loop: Loop) => asks(loop, { body: 'Compare without accents.' })],
  ])('becomes a draft again and the next iteration on %s, with its words', (_, act) => {
    const back = act(finished());
    expect(back).toMatchObject({ status: 'working', phase: 'BUILD', counters: { iterations: 2, plans: 1, rounds: 1 } });
    expect(work(back)).toEqual(['redraft', 'dispatch']);
    expect(back.requested).toMatchObject([{ rule: 'rejected', message: 'Compare without accents.', file: null }]);
    expect(back.approval).toEqual(finished().approval);
    expect(back.note).toBe('@maria sent the finished pull request back, so it is a draft again.');
  });

  it('is sent back by a review that says all of it line by line', () => {
    const back = asks(finished(), { body: '', comments: COMMENTS });
    expect(back.phase).toBe('BUILD');
    expect(back.requested).toMatchObject([
      { file: 'src/search.js', line: 3, requirement: null, message: 'Compare without accents.' },
      { file: 'src/page.js', line: 12, requirement: 'R-2', message: 'R2: label the field.' },
    ]);
    expect(new Set(back.requested.map(({ id }) => id)).size).toBe(2);
  });

  it('keeps what was asked for through builds that fail, until it is ready again', () => {
    const back = asks(finished(), { body: '', comments: COMMENTS });
    const dispatched = driven(back);
    const failed = decide(dispatched, { ...failure(dispatched, 'setup'), cause: 'work' }).loop;
    expect(failed).toMatchObject({ phase: 'BUILD', counters: { iterations: 3 } });
    expect(failed.requested).toEqual(back.requested);
    const other: Loop = { ...driven(failed), trees: [] };
    expect(finished(other)).toMatchObject({ status: 'succeeded', requested: [] });
  });

  it('is not handed over again as it was', () => {
    const again = runEnded(driven(say(finished(), 'reject', 'No.')));
    expect(again).toMatchObject({ status: 'stopped', phase: 'VERIFY' });
    expect(again.note).toContain('The same tree came twice');
  });

  it.each([
    ['spec: say what an accent is', 'DEFINE'],
    ['plan: one task is enough', 'PLAN'],
  ])('goes back further on "%s", and its packet is to be approved again', (words, phase) => {
    for (const back of [say(finished(), 'reject', words), asks(finished(), { body: words })]) {
      expect(back).toMatchObject({ status: 'working', phase, counters: { rounds: 2 } });
      expect(back.approval).toBeUndefined();
      expect(work(back)).toEqual(['redraft', 'draft']);
      expect(back.requested.map(({ message }) => message)).toEqual([words.replace(/^\w+: /, '')]);
      expect(driven(back)).toMatchObject({ phase: 'ARCH_REVIEW', waitingFor: 'approval' });
      // What its builds froze is known by their last report, for the next plan's first build to take away.
      expect(back.built).toMatchObject({ reports: {}, retired: [finished().built.reports.build] });
    }
  });

  it('is sent back also while the loop still looks back on it, which it then does no more', () => {
    const looking = reflecting();
    expect(looking).toMatchObject({ status: 'working', phase: 'REFLECT' });
    const back = say(looking, 'reject', 'No.');
    expect(work(back)).toEqual(['redraft', 'dispatch']);
    expect(back.entries.at(-1)).toMatchObject({ phase: 'REFLECT', outcome: 'cancelled' });
  });

  it.each([
    ['', 'BUILD'],
    ['build', 'BUILD'],
    ['VERIFY', 'BUILD'],
    ['PLAN', 'PLAN'],
    ['DEFINE', 'DEFINE'],
  ])('is taken up again by "/rerun %s", with one more try', (argument, phase) => {
    const again = say(finished(), 'rerun', argument);
    expect(again).toMatchObject({ status: 'working', phase, counters: { grants: 1 } });
    expect(work(again)[0]).toBe('redraft');
    expect(again.approval === undefined).toBe(phase !== 'BUILD');
  });

  it('keeps what a person decided of its proposals when it is looked back on once more', () => {
    const proposal = { type: 'skill', target: 't', change: 'c', evidence: 'e' } as const;
    const first: Loop = {
      ...finished(),
      proposals: [
        { ...proposal, decision: 'accepted', by: 'maria' },
        { ...proposal, decision: 'open' },
      ],
    };
    const again = say(first, 'rerun', 'REFLECT');
    const draft = again.pending.find(({ type }) => type === 'draft')?.key ?? '';
    const outcome = {
      type: 'drafted',
      at: timeOf(95),
      entry: again.entry,
      documents: [],
      measurements: [],
      defects: [],
    } as const;
    const drafted = settle(again, draft, {
      ...outcome,
      documents: [],
      measurements: [],
      defects: [],
      calls: [],
      proposals: [proposal],
    });
    expect(drafted.loop.proposals.map(({ decision }) => decision)).toEqual(['accepted', 'open']);
  });

  it('stays ready where only the look back is made anew', () => {
    expect(work(say(finished(), 'rerun', 'REFLECT'))).toEqual(['draft']);
  });
});

describe('what does not send a finished pull request back', () => {
  it.each<[string, (loop: Loop) => Loop]>([
    ['a review without a word', (loop) => asks(loop, { body: ' ', comments: [] })],
    ['a review that only comments', (loop) => asks(loop, { state: 'commented', comments: COMMENTS })],
    ['a review that approves', (loop) => asks(loop, { state: 'approved' })],
    ['a review of somebody who may only read', (loop) => asks(loop, { role: 'read', comments: COMMENTS })],
    ['a review of a bot', (loop) => asks(loop, { by: { id: 9, login: 'b[bot]', type: 'Bot' }, comments: COMMENTS })],
  ])('is %s', (_, act) => {
    const after = act(finished());
    expect(after).toMatchObject({ status: 'succeeded', requested: [] });
    expect(sentences(after)).toEqual([]);
  });

  const merged =
    'The pull request is merged, so nothing more is built on it; set the label `loop` on the issue again for a new loop.';
  it.each<[string, (loop: Loop) => Loop, string]>([
    ['/reject without words', (loop) => say(loop, 'reject', ''), 'Say what should change: `/reject <what to change>`.'],
    ['/reject after the merge', (loop) => say(loop, 'reject', 'No.', { pull: 'merged' }), merged],
    ['/rerun after the merge', (loop) => say(loop, 'rerun', '', { pull: 'merged' }), merged],
    ['a review after the merge', (loop) => asks(loop, { pull: 'merged' }), merged],
    [
      '/reject after it was closed',
      (loop) => say(loop, 'reject', 'No.', { pull: 'closed' }),
      merged.replace('merged', 'closed'),
    ],
    [
      'a review that was written before it was ready',
      (loop) => asks(loop, { submittedAt: timeOf(79) }),
      'The pull request was built again after that was written; look at it as it is now, and then request the changes again.',
    ],
    [
      'a review while a newer loop of the issue has taken its place',
      (loop) => asks(loop, { newer: { pull: 15 } }),
      'A newer loop of #12 took its place, so this one does not go on; say on its pull request #15 what should change.',
    ],
    [
      'more words than every step can read',
      (loop) =>
        asks(loop, { body: '', comments: Array.from({ length: 6 }, () => ({ file: 'a', body: 'x'.repeat(4000) })) }),
      'Together that has 24000 characters, and every step reads them all; 20000 are the most, so nothing was sent back. Put the text into a file of the repository, and say where it is.',
    ],
    [
      'a point that is too long',
      (loop) => say(loop, 'reject', 'x'.repeat(4001)),
      'One of the points has 4001 characters; 4000 are the most, so nothing was sent back. Say it shorter, or put the text into a file of the repository and say where it is.',
    ],
    [
      'more points than a build can heed',
      (loop) => asks(loop, { body: '', comments: Array.from({ length: 51 }, () => ({ file: 'a', body: 'x' })) }),
      'That makes 51 points, and every step reads them all; 50 are the most, so nothing was sent back. Say the weightiest.',
    ],
  ])('is %s, and one sentence says why', (_, act, sentence) => {
    const after = act(finished());
    expect(after).toMatchObject({ status: 'succeeded', phase: 'REFLECT', requested: [], counters: { grants: 0 } });
    expect(sentences(after)).toEqual([sentence]);
  });

  it('is what is said in the very second in which it became ready: that may be about it', () => {
    expect(asks(finished(), { submittedAt: READY_AT }).phase).toBe('BUILD');
  });

  it('is a word to a paused loop: it is resumed first', () => {
    const paused = decide(reflecting(), command('pause', '', timeOf(85))).loop;
    expect(sentences(say(paused, 'reject', 'No.'))).toEqual([
      'The loop is paused, so nothing was decided; say `/resume` first, and then say `/reject` again.',
    ]);
    expect(sentences(asks(paused))).toEqual([
      'The loop is paused, so nothing was decided; say `/resume` first, and then request the changes again.',
    ]);
  });

  it('is a word to a loop that is building: the next step is told by /context', () => {
    expect(sentences(say(building(), 'reject', 'No.'))).toEqual([
      'There is no packet to reject now, and no finished pull request; `/context <text>` tells the next step something.',
    ]);
  });
});

describe('the limits of sending back', () => {
  const exhausted = (): Loop => {
    const loop = finished();
    return { ...loop, counters: { ...loop.counters, iterations: 3 } };
  };

  it('hold: without an iteration left nothing is built, and one sentence says what goes on', () => {
    for (const after of [say(exhausted(), 'reject', 'No accents.'), asks(exhausted(), { body: 'No accents.' })]) {
      expect(after).toMatchObject({ status: 'succeeded', counters: { iterations: 3 } });
      expect(work(after)).toEqual([]);
      expect(sentences(after)).toEqual([
        "The approved plan's 3 iterations are used up, so nothing is built yet; what you asked for is kept: `/rerun` grants one more iteration with it, `/reject plan: <why>` makes a new plan.",
      ]);
      const again = say(after, 'rerun', '');
      expect(again).toMatchObject({ status: 'working', phase: 'BUILD', counters: { iterations: 4 } });
      expect(again.requested.map(({ message }) => message)).toEqual(['No accents.']);
    }
  });

  it('hold for packets too', () => {
    const loop = finished();
    const last: Loop = { ...loop, counters: { ...loop.counters, plans: LIMITS.plans } };
    const after = say(last, 'reject', 'plan: smaller');
    expect(after.status).toBe('succeeded');
    expect(sentences(after)).toEqual([
      '2 approved plans are used up; talk it over in the issue, then `/rerun DEFINE`.',
    ]);
  });

  it('hold for money: it is a draft again, and waits for the budget', () => {
    const loop = asStarted(finished());
    const poor: Loop = {
      ...loop,
      started: { ...loop.started, price: { prompt: 1, completion: 1 } },
      spent: { ...loop.spent, usd: 3 },
    };
    const back = say(poor, 'reject', 'No.');
    expect(back).toMatchObject({ status: 'paused', pausedFor: 'budget', phase: 'BUILD' });
    expect(work(back)).toEqual(['redraft', 'dispatch']);
  });
});

describe('the way back to draft', () => {
  it('is awaited whatever becomes of the entry', () => {
    const stopped = decide(say(finished(), 'reject', 'No.'), command('stop', '', timeOf(91))).loop;
    expect(stopped.status).toBe('stopped');
    expect(work(stopped)).toEqual(['redraft']);
  });

  it('is taken also where the loop was stopped while the draft was made ready', () => {
    const readying = checkedGreen(promotedBy(building()));
    const stopped = decide(readying, command('stop', '', timeOf(76))).loop;
    expect(work(decide(stopped, command('rerun', '', timeOf(77))).loop)).toEqual(['redraft', 'dispatch']);
    expect(work(decide(readying, pushed({ at: timeOf(76) })).loop)).toEqual(['redraft', 'dispatch']);
  });

  it('is not asked for where the draft never became ready', () => {
    const stopped = decide(building(), command('stop', '', timeOf(51))).loop;
    expect(work(decide(stopped, command('rerun', '', timeOf(52))).loop)).toEqual(['dispatch']);
  });
});

describe('a stopped loop whose pull request is ready', () => {
  const stopped = (): Loop => decide(reflecting(), command('stop', '', timeOf(85))).loop;

  it('is sent back like one that has succeeded', () => {
    expect(work(say(stopped(), 'reject', 'No.'))).toEqual(['redraft', 'dispatch']);
  });

  it('builds nothing when a push has voided its approval', () => {
    const voided = decide(stopped(), pushed({ at: timeOf(86), documentsChanged: true })).loop;
    const after = say(voided, 'reject', 'No.');
    expect(after.status).toBe('stopped');
    expect(sentences(after).at(-1)).toBe(
      'No packet is approved, so nothing can be built; `/reject plan: <why>` makes a new packet.',
    );
  });
});

describe('a packet', () => {
  it('is sent back by a review that says all of it line by line', () => {
    const packet = upTo(started(), 'nothing');
    const waiting = driven(packet);
    const back = asks(waiting, { body: '', comments: COMMENTS });
    expect(back).toMatchObject({ phase: 'DEFINE', counters: { rounds: 2 } });
    expect(back.feedback).toMatchObject([
      { file: 'src/search.js', line: 3, message: 'Compare without accents.' },
      { file: 'src/page.js', line: 12 },
    ]);
  });

  it('goes back to the specification on "spec: …", as without the word', () => {
    const waiting = driven(started());
    expect(say(waiting, 'reject', 'spec: clearer')).toMatchObject({
      phase: 'DEFINE',
      feedback: [{ message: 'clearer' }],
    });
  });
});
