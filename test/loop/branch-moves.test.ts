import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { atReview, building, pushed, sentences, started } from './stands.ts';
import { command, RAW, timeOf } from './world.ts';

const OTHER = `sha256:${'1'.repeat(64)}`;

const move = (over: Partial<Extract<Event, { type: 'moved' }>>): Event => ({
  type: 'moved',
  at: timeOf(55),
  sha: 'c'.repeat(40),
  paths: ['docs/x.md'],
  unlisted: false,
  sensitive: [],
  configDigest: RAW,
  ...over,
});
const planning = (loop: Loop): Loop => ({
  ...loop,
  tasks: [
    { id: 'T-1', title: 't', requirements: ['R-1'], files: ['src/a.js'], dependsOn: [], detail: 'make the change' },
  ],
  supersededTests: [{ file: 'test/a.test.js', name: 'old', requirement: 'R-1', why: 'R-1 asks for the opposite.' }],
});

describe('the approval', () => {
  it('is void when a person changes the documents on the branch', () => {
    const { loop } = decide(building(), pushed({ documentsChanged: true }));
    expect(loop).toMatchObject({ phase: 'DEFINE', status: 'working' });
    expect(loop.approval).toBeUndefined();
    expect(sentences(loop)).toEqual([
      '@maria pushed ccccccc and changed the documents on the branch, so the approval is void and a new packet is made.',
    ]);
  });

  it('of a stopped loop is kept when a person pushes code, on which `/rerun` then builds', () => {
    const stopped = decide(building(), command('stop', '', timeOf(55))).loop;
    const after = decide(stopped, pushed()).loop;
    expect(after).toMatchObject({ status: 'stopped', review: { head: 'c'.repeat(40) }, note: stopped.note });
    expect(decide(after, command('rerun', '', timeOf(65))).loop).toMatchObject({ phase: 'BUILD', status: 'working' });
    const changed = decide(stopped, pushed({ documentsChanged: true })).loop;
    expect(changed.approval).toBeUndefined();
    expect(sentences(changed).at(-1)).toBe(
      '@maria pushed ccccccc and changed the documents on the branch, so the approval is void; `/rerun PLAN` makes a new packet.',
    );
  });

  it('takes back the run that the void approval had asked for and that was not yet dispatched', () => {
    const loop = {
      ...planning(building()),
      pending: [{ type: 'dispatch', key: '5/dispatch', job: 'build', entry: building().entry } as const],
    };
    const after = decide(loop, move({ paths: ['src/a.js'] })).loop;
    expect(after.pending.filter(({ type }) => type === 'dispatch')).toEqual([]);
    expect(after.pending.filter(({ type }) => type === 'draft')).toHaveLength(1);
  });

  it.each([
    [
      'in a file that the plan changes',
      { paths: ['x', 'src/a.js'] },
      'The base moved in src/a.js, which the plan changes',
    ],
    [
      'in a file that a superseded test is taken out of',
      { paths: ['test/a.test.js'] },
      'The base moved in test/a.test.js, which the plan changes',
    ],
    ['in a sensitive path', { sensitive: ['src/auth.js'] }, 'The base moved in src/auth.js, a sensitive path'],
    [
      'in many sensitive paths',
      { sensitive: ['a/token', 'b/token', 'c/token', 'd/token'] },
      'The base moved in a/token, b/token, c/token and 1 more, sensitive paths',
    ],
    [
      'in more files than are known',
      { paths: [], unlisted: true },
      "The base moved in more files than GitHub lists, the plan's perhaps among them",
    ],
    [
      'and with it the configuration',
      { configDigest: OTHER },
      'The configuration .github/loopwright.yml changed on the base at ccccccc',
    ],
  ])('is void when the base moved %s, and one sentence says why', (_, over, because) => {
    const loops = [
      ['approval', planning(building())],
      ['packet', planning(atReview())],
    ] as const;
    for (const [subject, loop] of loops) {
      const sentence = `${because}, so the ${subject} is void and a new plan is made.`;
      const after = decide(loop, move(over)).loop;
      expect(after).toMatchObject({ phase: 'PLAN', status: 'working', counters: { rounds: 2 }, note: sentence });
      expect(after.approval).toBeUndefined();
      expect(after.waitingFor).toBeUndefined();
      expect(sentences(after)).toEqual([sentence]);
      expect(after.feedback.map(({ message }) => message)).toEqual([sentence]);
    }
  });

  it('that is asked for next is for the base as it is now; a base that moved elsewhere stays as it was read', () => {
    const before = planning(building());
    const sha = 'c'.repeat(40);
    expect(decide(before, move({ paths: ['src/a.js'] })).loop.started?.base).toEqual({ branch: 'main', sha });
    expect(decide(before, move({})).loop.started?.base).toEqual(before.started?.base);
    const last = { ...before, counters: { ...before.counters, plans: 2 } };
    expect(decide(last, move({ paths: ['src/a.js'] })).loop).toMatchObject({
      status: 'stopped',
      started: { base: { sha } },
    });
  });

  it('survives a move that was compared with a base that the loop no longer has', () => {
    const before = planning(atReview());
    const late = decide(before, move({ before: 'd'.repeat(40), paths: ['src/a.js'] })).loop;
    expect(late).toMatchObject({ status: 'waiting', waitingFor: 'approval' });
    expect(late.started?.base).toEqual(before.started?.base);
    const now = decide(before, move({ before: before.started?.base.sha, paths: ['src/a.js'] })).loop;
    expect(now.phase).toBe('PLAN');
  });

  it('survives a merge of the base by a person, whose base is then the one that was merged', () => {
    const before = planning(atReview());
    const after = 'd'.repeat(40);
    const push = (from = '') => pushed({ base: { before: from, after } });
    expect(decide(before, push(before.started?.base.sha)).loop).toMatchObject({
      waitingFor: 'approval',
      started: { base: { branch: 'main', sha: after } },
    });
    expect(decide(before, push('e'.repeat(40))).loop.started?.base).toEqual(before.started?.base);
  });

  it('survives a move of the base elsewhere, and so does the packet', () => {
    for (const loop of [planning(building()), planning(atReview())]) {
      const after = decide(loop, move({})).loop;
      expect({ ...after, pending: [], seq: 0 }).toEqual({ ...loop, pending: [], seq: 0 });
      expect(sentences(after)).toEqual([]);
    }
  });

  it('is asked for with the configuration as it is now, wherever the loop was when it changed', () => {
    for (const loop of [started(), planning(atReview()), planning(building())]) {
      const after = decide(loop, move({ configDigest: OTHER })).loop;
      expect(after).toMatchObject({ started: { config: { digest: OTHER, sha: 'c'.repeat(40) } } });
    }
    expect(decide(started(), move({ configDigest: OTHER })).loop).toMatchObject({ phase: 'DISCOVER', entry: 1 });
  });

  it('is void, and not to be built on, also where no further plan may be made', () => {
    const last = planning(building());
    const stopped = decide({ ...last, counters: { ...last.counters, plans: 2 } }, move({ configDigest: OTHER })).loop;
    expect(stopped).toMatchObject({
      status: 'stopped',
      note: 'The configuration .github/loopwright.yml changed on the base at ccccccc, so the approval is void. 2 approved plans are used up; talk it over in the issue, then `/rerun DEFINE`.',
    });
    expect(sentences(decide(stopped, command('rerun', 'BUILD', timeOf(60))).loop)).toEqual([
      'No packet is approved, so nothing can be built; `/rerun PLAN` makes a new packet.',
    ]);
  });
});
