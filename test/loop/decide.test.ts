import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import {
  asking,
  atReview,
  building,
  completed,
  driven,
  failure,
  pushed,
  reported,
  review,
  runEnded,
  SHA,
  sentences,
} from './stands.ts';
import { command, defect, labelledEvent, PERSON, RAW, REF, timeOf } from './world.ts';

describe('a label', () => {
  it('by a stranger starts nothing: the label goes, one sentence says why', () => {
    const { loop } = decide(newLoop(REF), labelledEvent({ role: 'read' }));
    expect(loop.status).toBe('idle');
    expect(loop.pending.map(({ type }) => type)).toEqual(['unlabel', 'reply']);
    expect(sentences(loop)).toEqual([
      '@maria, only a person with write permission can start a loop and yours is read, so the label was removed; ask one of them to set it.',
    ]);
  });

  it('by a bot starts nothing, whatever its role', () => {
    expect(decide(newLoop(REF), labelledEvent({ role: 'admin', by: { ...PERSON, type: 'Bot' } })).loop.status).toBe(
      'idle',
    );
  });

  it('on a refused goal starts nothing and says the refusal', () => {
    const { loop } = decide(newLoop(REF), labelledEvent({ refusal: 'The goal has no metric.' }));
    expect(loop.status).toBe('idle');
    expect(sentences(loop)).toEqual(['The goal has no metric.']);
  });

  it('on a live loop changes nothing but a sentence', () => {
    const loop = atReview();
    const again = decide(loop, labelledEvent({ at: timeOf(70) })).loop;
    expect({ ...again, pending: [], seq: 0 }).toEqual({ ...loop, pending: [], seq: 0 });
    expect(sentences(again)).toEqual(['A loop is already at work on this issue; `/status` says where it is.']);
  });
});

describe('a label on an issue whose loop waits for a slot', () => {
  it('is told that it waits', () => {
    const waiting = decide(newLoop(REF), labelledEvent({})).loop;
    const queuedLoop = decide(waiting, { type: 'queued', at: timeOf(61) }).loop;
    const again = decide({ ...queuedLoop, pending: [] }, labelledEvent({ at: timeOf(70) })).loop;
    expect(again.status).toBe('queued');
    expect(sentences(again)).toEqual([
      'A loop waits for a free slot to work on this issue; `/status` says where it is.',
    ]);
  });
});

describe('a label that crosses the end of its loop', () => {
  it('does not start the ended loop again', () => {
    const stopped = decide(building(), command('stop', '', timeOf(55))).loop;
    const again = decide(stopped, labelledEvent({ at: timeOf(56) })).loop;
    expect(again).toMatchObject({ status: 'stopped', entry: stopped.entry });
    expect(sentences(again)).toContain('The loop ended just now; set the label again to start the next one.');
  });
});

describe('questions that could not be asked', () => {
  it('are asked by the next try, because nobody saw them', () => {
    const asked = asking();
    expect(asked).toMatchObject({ waitingFor: 'answers', counters: { interviews: 1 } });
    const stopped = decide(asked, failure(asked, 'setup')).loop;
    expect(stopped).toMatchObject({ status: 'stopped', questions: [], counters: { interviews: 0 } });
  });
});

describe('the approval', () => {
  it('is asked for once the packet is published, and binds its digest', () => {
    const loop = atReview();
    expect(loop).toMatchObject({ status: 'waiting', waitingFor: 'approval', phase: 'ARCH_REVIEW' });
    expect(loop.review?.packet.digest).toBe(RAW);
    const approved = decide(loop, command('approve', '', timeOf(50))).loop;
    expect(approved).toMatchObject({ phase: 'BUILD', status: 'working', approval: { by: PERSON, digest: RAW } });
  });

  it.each([
    [
      'a person without write permission',
      command('approve', '', timeOf(50), { permitted: false, role: 'read' }),
      '`/approve` needs write permission.',
    ],
    [
      'a comment older than the packet',
      command('approve', '', timeOf(50), { createdAt: timeOf(-5) }),
      'The packet changed after that comment was written; read the newest one and say `/approve` again.',
    ],
    [
      'a part of the packet',
      command('approve', 'R1', timeOf(50)),
      'A packet is approved as a whole: say `/approve` alone, or `/reject R2: …` for what should change.',
    ],
    [
      'a button of an older packet',
      { type: 'pressed', at: timeOf(50), by: PERSON, role: 'write', button: 'approve', digest: 'sha256:old' } as const,
      'That button belongs to an earlier packet, so nothing was approved; use the newest packet.',
    ],
    [
      'a review "Approve"',
      review({ role: 'admin', state: 'approved', body: '' }),
      'A review "Approve" is not taken here: GitHub would count it for code that does not exist yet. Say `/approve` to approve the packet.',
    ],
  ])('is not given by %s', (_, event, sentence) => {
    const loop = decide(atReview(), event).loop;
    expect(loop).toMatchObject({ phase: 'ARCH_REVIEW', waitingFor: 'approval' });
    expect(loop.approval).toBeUndefined();
    expect(sentences(loop)).toEqual([sentence]);
  });
});

describe('a rejection', () => {
  it.each([
    ['the search must ignore accents', 'DEFINE'],
    ['plan: two tasks, not one', 'PLAN'],
  ])('"%s" leads to %s with the words as feedback', (argument, phase) => {
    const loop = decide(atReview(), command('reject', argument, timeOf(50))).loop;
    expect(loop).toMatchObject({ phase, status: 'working', counters: { rounds: 2 } });
    expect(loop.feedback[0]?.message).toBe(argument.replace('plan: ', ''));
  });

  it('without words is no rejection', () => {
    expect(sentences(decide(atReview(), command('reject', '', timeOf(50))).loop)).toEqual([
      'Say what should change: `/reject <what to change>`.',
    ]);
  });
});

describe('building', () => {
  const failing = (signature: string, message = signature) => ({
    collect: (loop: Loop) => reported(loop, { passes: false, defects: [defect(message)], signature }),
  });

  it('goes on to SEED_DATA and VERIFY when the gates pass', () => {
    const loop = runEnded(building());
    expect(loop.entries.map(({ phase, outcome: result }) => `${phase} ${result}`)).toEqual([
      'DISCOVER passed',
      'DEFINE passed',
      'PLAN passed',
      'ARCH_REVIEW passed',
      'BUILD passed',
      'SEED_DATA passed',
    ]);
    expect(loop).toMatchObject({ phase: 'VERIFY', built: { candidate: { sha: SHA } } });
  });

  it('is entered again with the defects as feedback when a gate fails', () => {
    const loop = building();
    const again = driven(decide(loop, completed(loop)).loop, failing('s1'));
    expect(again).toMatchObject({ phase: 'BUILD', counters: { iterations: 2 }, feedback: [defect('s1')] });
  });

  it('stops with a problem report when the same failure comes twice', () => {
    let loop = building();
    for (const _ of [1, 2]) loop = driven(decide(loop, completed(loop)).loop, failing('same'));
    expect(loop).toMatchObject({ status: 'stopped', phase: 'BUILD' });
    expect(loop.note).toContain('The same failure came twice; another try would not change it.');
    expect(loop.pending).toContainEqual({ type: 'tell', key: `${loop.entry}/problem`, what: 'problem' });
  });

  it('makes a new plan, as often as plans may be made, when the same existing test contradicts the change twice', () => {
    const contradicted = { ...defect('The existing test is red.'), rule: 'contradicted-test' };
    const twice = (loop: Loop): Loop =>
      [1, 2].reduce<Loop>(
        (at) =>
          driven(decide(at, completed(at)).loop, {
            collect: (now) => reported(now, { passes: false, defects: [contradicted], signature: 'same' }),
          }),
        loop,
      );
    const second = twice(building());
    expect(second).toMatchObject({ phase: 'ARCH_REVIEW', waitingFor: 'approval', counters: { plans: 1, rounds: 2 } });
    expect(second.entries.findLast(({ phase }) => phase === 'PLAN')?.entry).toBeGreaterThan(6);
    expect(second.approval).toBeUndefined();
    const third = twice(driven(decide(second, command('approve', '', timeOf(62))).loop));
    expect(third).toMatchObject({ status: 'stopped', phase: 'BUILD', counters: { plans: 2 } });
    expect(third.note).toContain('The same failure came twice');
  });

  describe('the same tree twice', () => {
    const verified = (loop: Loop, passes: boolean): Loop => {
      const verifying = runEnded(loop);
      return driven(decide(verifying, completed(verifying)).loop, { collect: (at) => reported(at, { passes }) });
    };
    const SENTENCE = 'The same tree came twice: what was built is, file for file, what failed before.';

    it('is a stall: the candidate is not judged again, even if it might pass this time', () => {
      const second = verified(building(), false);
      expect(second).toMatchObject({ phase: 'BUILD', trees: [SHA] });
      const stopped = runEnded(second);
      expect(stopped).toMatchObject({ status: 'stopped', phase: 'VERIFY' });
      expect(stopped.note).toBe(`${SENTENCE} Say with \`/context\` what to do differently, then \`/rerun\`.`);
      expect(stopped.entries.at(-1)).toMatchObject({ phase: 'VERIFY', outcome: 'failed', reason: SENTENCE });
      expect(stopped.pending.some(({ type }) => type === 'dispatch')).toBe(false);
    });

    it('is judged again where a person grants one more try, or approves another plan', () => {
      const stopped = runEnded(verified(building(), false));
      const rerun = driven(decide(stopped, command('rerun', '', timeOf(70))).loop);
      expect(runEnded(rerun)).toMatchObject({ status: 'working', phase: 'VERIFY', trees: [] });
      const approved = decide({ ...atReview(), trees: [SHA] }, command('approve', '', timeOf(71))).loop;
      expect(approved.trees).toEqual([]);
    });

    it('is no stall where the first was not judged to the end', () => {
      const verifying = runEnded(building());
      const died = decide(verifying, {
        type: 'failed',
        at: timeOf(61),
        entry: verifying.entry,
        cause: 'cancelled',
        reason: 'The run was cancelled.',
        calls: [],
      }).loop;
      expect(driven(died)).toMatchObject({
        status: 'working',
        phase: 'VERIFY',
        trees: [],
        built: { candidate: { codeTree: SHA } },
      });
    });

    it('does not come of a BUILD that fails after a candidate did', () => {
      const second = verified(building(), false);
      const failedBuild = driven(decide(second, completed(second)).loop, {
        collect: (at) => reported(at, { passes: false }),
      });
      expect(failedBuild).toMatchObject({ phase: 'BUILD', counters: { iterations: 3 }, trees: [SHA] });
    });
  });

  it('makes a new plan after three iterations, and that plan needs a new approval', () => {
    let loop = building();
    for (const index of [1, 2, 3]) loop = driven(decide(loop, completed(loop)).loop, failing(`s${index}`));
    expect(loop).toMatchObject({ phase: 'ARCH_REVIEW', waitingFor: 'approval' });
    expect(loop.approval).toBeUndefined();
  });

  it('hears the end of a run once, whether by webhook or by asking', () => {
    const ended = completed(building());
    const once = decide(building(), ended).loop;
    expect(decide(once, ended).loop.pending.filter(({ type }) => type === 'collect')).toHaveLength(1);
  });

  it('costs an entry, and no iteration, when the run died with its machine', () => {
    const loop = building();
    const cancelled = driven(decide(loop, completed(loop, 'cancelled')).loop, {
      collect: ({ entry }) => ({
        type: 'failed',
        at: timeOf(61),
        entry,
        cause: 'cancelled',
        reason: 'The run was cancelled.',
        calls: [],
      }),
    });
    expect(cancelled).toMatchObject({
      phase: 'BUILD',
      entry: loop.entry + 1,
      counters: { iterations: 1, cancellations: 1 },
    });
    expect(cancelled.entries.at(-1)).toMatchObject({ phase: 'BUILD', outcome: 'cancelled' });
  });

  it.each([
    ['model', 'See that the model answers, then say `/rerun`.'],
    ['setup', 'Set that right, then say `/rerun`.'],
    ['safety', 'Look at the run and its log before you say `/rerun`.'],
  ] as const)(
    'stops for a person when the cause is %s, says what to do and keeps the try on record',
    (cause, remedy) => {
      const loop = building();
      const stopped = decide(loop, failure(loop, cause)).loop;
      expect(stopped).toMatchObject({ status: 'stopped', note: `Because. ${remedy}` });
      expect(stopped.entries.at(-1)).toMatchObject({ phase: 'BUILD', outcome: 'failed', reason: 'Because.' });
    },
  );

  it('goes on from the tasks that a failed build had finished', () => {
    const loop = building();
    const stopped = decide(loop, { ...failure(loop, 'model'), report: RAW }).loop;
    expect(stopped.built.reports.build).toBe(RAW);
    const again = decide(stopped, command('rerun', '', timeOf(70))).loop;
    expect(again).toMatchObject({ phase: 'BUILD', built: { reports: { build: RAW } } });
  });

  it.each(['model', 'setup'] as const)('does not stop a finished loop when REFLECT fails for its %s', (cause) => {
    const loop: Loop = { ...building(), phase: 'REFLECT' };
    const ended = decide(loop, failure(loop, cause)).loop;
    expect(ended).toMatchObject({ status: 'succeeded', note: 'Finished; REFLECT brought nothing: Because.' });
  });

  it('decides what others did to branch and base only when a paused loop is resumed', () => {
    const paused = decide(building(), command('pause', '', timeOf(55))).loop;
    const held = decide(paused, pushed({ documentsChanged: true })).loop;
    expect(held).toMatchObject({ status: 'paused', phase: 'BUILD', held: [{ type: 'pushed' }] });
    expect(decide(held, command('resume', '', timeOf(57))).loop).toMatchObject({
      phase: 'DEFINE',
      review: { head: 'c'.repeat(40) },
    });
  });

  it('starts anew on a commit that a person pushed, in the same iteration', () => {
    const { loop } = decide(building(), pushed());
    expect(loop).toMatchObject({
      phase: 'BUILD',
      review: { head: 'c'.repeat(40) },
      counters: { iterations: 1, interruptions: 1 },
    });
    expect(loop.approval).toBeDefined();
    expect(loop.pending.some(({ type }) => type === 'cancel')).toBe(true);
  });
});

describe('pausing', () => {
  it('holds of a base that goes on and on the last move only, which tells of the others too', () => {
    const paused = asStarted(decide(building(), command('pause', '', timeOf(55))).loop);
    const { base, config } = paused.started;
    const move = (count: number): Event => ({
      type: 'moved',
      at: timeOf(56 + count),
      before: base.sha,
      sha: String(count % 10).repeat(40),
      paths: [`docs/${count}.md`],
      unlisted: false,
      sensitive: [],
      configDigest: config.digest,
    });
    const held = Array.from({ length: 50 }, (_, count) => move(count)).reduce<Loop>(
      (loop, event) => decide(loop, event).loop,
      paused,
    );
    expect(held.held).toEqual([move(49)]);
  });

  it('holds outcomes and decides on them when resumed, in the same iteration', () => {
    const paused = decide(building(), command('pause', '', timeOf(55))).loop;
    const held = decide(paused, completed(paused)).loop;
    expect(held).toMatchObject({ status: 'paused', held: [{ type: 'completed' }] });
    const resumed = decide(held, command('resume', '', timeOf(65))).loop;
    expect(resumed).toMatchObject({ status: 'working', phase: 'BUILD', held: [], counters: { iterations: 1 } });
    expect(resumed.pending.some(({ type }) => type === 'collect')).toBe(true);
  });

  it('follows from removing the label, and setting it again resumes', () => {
    const paused = decide(building(), { type: 'unlabelled', at: timeOf(55), by: PERSON, role: 'write' }).loop;
    expect(paused.status).toBe('paused');
    expect(decide(paused, labelledEvent({ at: timeOf(56), setAt: timeOf(55) })).loop.status).toBe('working');
  });

  it('stays when a label is told late that was set before it', () => {
    const paused = decide(building(), command('pause', '', timeOf(55))).loop;
    const late = decide(paused, labelledEvent({ at: timeOf(57), setAt: timeOf(54) })).loop;
    expect(late.status).toBe('paused');
    expect(late.pending).toContainEqual(expect.objectContaining({ type: 'reply', target: 'issue' }));
    const after = decide(paused, labelledEvent({ at: timeOf(57), setAt: timeOf(56) })).loop;
    expect(after.status).toBe('working');
    expect(after).not.toHaveProperty('pausedAt');
  });
});

describe('a late or repeated event', () => {
  it('of an earlier entry changes nothing at all', () => {
    const loop = building();
    const late: Event = {
      type: 'reported',
      at: timeOf(1),
      entry: loop.entry - 1,
      measurements: [],
      defects: [],
      calls: [],
      sandbox: 'none',
      report: RAW,
      signature: '',
    };
    expect(decide(loop, late).loop).toBe(loop);
  });

  it('of the base after the end changes nothing at all', () => {
    const stopped = decide(building(), command('stop', '', timeOf(55))).loop;
    expect(
      decide(stopped, {
        type: 'moved',
        at: timeOf(60),
        sha: SHA,
        paths: ['a'],
        unlisted: false,
        sensitive: ['a'],
        configDigest: RAW,
      }).loop,
    ).toBe(stopped);
  });
});
