/** A base that goes on after the candidate was proved: it is merged and everything is proved again, or people are told that it was not. */
import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { EventOf } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { LIMITS } from '../../src/loop/phases.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { issueBoard } from '../../src/render/board.ts';
import { checksOf } from '../../src/render/checks.ts';
import { checkedGreen, finished, promotedBy, READY_AT, reflecting } from './finished.ts';
import { building, driven, SHA } from './stands.ts';
import { command, RAW, timeOf } from './world.ts';

const TIP = 'c'.repeat(40);
const MODEL = { name: 'm', scripted: false };
const outdated = { sha: TIP, bearing: ['src/a.js'], unlisted: false, configDigest: RAW };

const move = (over: Partial<EventOf<'moved'>> = {}): EventOf<'moved'> => ({
  type: 'moved',
  at: timeOf(72),
  sha: TIP,
  paths: ['src/a.js'],
  unlisted: false,
  sensitive: [],
  bearing: ['src/a.js'],
  configDigest: RAW,
  ...over,
});

/** What the effect found that would have made it ready. */
function foundBehind(loop: Loop): Loop {
  const ready = loop.pending.find(({ type }) => type === 'ready');
  return settle(loop, ready?.key ?? '', { type: 'behind', at: timeOf(78), entry: loop.entry, ...outdated }).loop;
}

const evidenceOf = (loop: Loop) =>
  checksOf(asStarted(loop), { ...MODEL, headSha: SHA }).find(({ name }) => name === 'loopwright / evidence');

describe('before the draft becomes ready', () => {
  it.each([
    ['a webhook tells of it', (loop: Loop) => decide(loop, move()).loop],
    ['nobody told of it', (loop: Loop) => foundBehind(checkedGreen(loop))],
  ])('is merged and proved again where %s', (_, behind) => {
    const before = promotedBy(building());
    const after = behind(before);
    expect(after).toMatchObject({
      ...{ phase: 'VERIFY', status: 'working', started: { base: { sha: TIP } } },
      counters: { merges: 1, iterations: before.counters.iterations },
      note: 'The base moved in src/a.js since this was verified, so it is merged and everything is proved again.',
    });
    expect(after.shipping).toBeUndefined();
    expect(after.approval).toEqual(before.approval);
    expect(after.pending.map(({ type }) => type)).toContain('land');
    expect(after.entries.at(-1)).toMatchObject({ phase: 'SHIP', outcome: 'cancelled' });
  });

  it('has the merge on the branch when that is judged', () => {
    const after = decide(promotedBy(building()), move()).loop;
    const merge = 'e'.repeat(40);
    const landed = {
      type: 'landed',
      at: timeOf(73),
      entry: after.entry,
      candidate: merge,
      codeTree: merge,
      head: merge,
    } as const;
    const land = after.pending.find(({ type }) => type === 'land');
    expect(settle(after, land?.key ?? '', landed).loop).toMatchObject({
      review: { head: merge },
      built: { candidate: { sha: merge } },
    });
  });

  it.each([
    ['in documents only', { paths: ['docs/x.md'], bearing: [] }],
    ['from a base that is not the loop’s', { before: 'f'.repeat(40) }],
  ])('changes nothing that was proved where it moved %s', (_, over) => {
    const before = promotedBy(building());
    expect(decide(before, move(over)).loop).toMatchObject({ phase: 'SHIP', entry: before.entry });
  });

  it('counts where more moved than GitHub lists', () => {
    const after = decide(promotedBy(building()), move({ paths: [], bearing: [], unlisted: true })).loop;
    expect(after).toMatchObject({ phase: 'VERIFY' });
    expect(after.note).toContain('moved in more files than GitHub lists');
  });

  it('takes the configuration that is there over', () => {
    const other = `sha256:${'1'.repeat(64)}`;
    const after = decide(promotedBy(building()), move({ configDigest: other })).loop;
    expect(after.started).toMatchObject({ base: { sha: TIP }, config: { digest: other, sha: TIP } });
  });

  it('is merged so many times, and then handed over as proved on an older base', () => {
    const worn = promotedBy(building());
    const loop = { ...worn, counters: { ...worn.counters, merges: LIMITS.merges } };
    expect(decide(loop, move()).loop).toMatchObject({ phase: 'SHIP', entry: loop.entry });
    const readying = checkedGreen(loop);
    const ready = readying.pending.find(({ type }) => type === 'ready');
    const readied = { type: 'readied', at: READY_AT, entry: readying.entry, outdated } as const;
    const done = driven(settle(readying, ready?.key ?? '', readied).loop);
    expect(done).toMatchObject({ status: 'succeeded', shipping: { outdated } });
    expect(evidenceOf(done)).toMatchObject({ conclusion: 'neutral' });
  });
});

describe('a base with workflow files that changed', () => {
  it('is for people to merge: what was proved is handed over as proved on an older one', () => {
    const before = promotedBy(building());
    expect(decide(before, move({ forPeople: true })).loop).toMatchObject({ phase: 'SHIP', entry: before.entry });
  });
});

describe('as long as the pull request is open', () => {
  it.each([
    ['has ended', finished],
    ['looks back', () => reflecting()],
  ])('voids the evidence of a loop that %s, and says what to do', (_, at) => {
    const before = at();
    const after = decide(before, move()).loop;
    expect(after).toMatchObject({ phase: before.phase, status: before.status, shipping: { outdated } });
    const done = driven(after);
    expect(evidenceOf(driven(before))).toMatchObject({ conclusion: 'success' });
    expect(evidenceOf(done)).toMatchObject({
      conclusion: 'neutral',
      title: 'Void: the base moved in src/a.js since this was verified',
    });
    expect(issueBoard(asStarted(done), MODEL)).toContain('`/rerun VERIFY` merges main and proves everything again.');
  });

  it('says who merges a base with workflow files', () => {
    const done = decide(finished(), move({ forPeople: true })).loop;
    expect(issueBoard(asStarted(done), MODEL)).toMatch(
      /only people may merge: merge main into \S+ and say `\/rerun`\./,
    );
  });

  it('is shown once, however often the base goes on', () => {
    const first = decide(finished(), move());
    expect(first.effects.map(({ type }) => type)).toEqual(['show']);
    const later = decide(first.loop, move({ sha: 'd'.repeat(40), bearing: ['src/b.js'] }));
    expect(later.effects).toEqual([]);
    expect(later.loop.shipping?.outdated?.sha).toBe('d'.repeat(40));
  });

  it('is no matter of one that was merged or closed', () => {
    const merged = decide(finished(), { type: 'ended', at: timeOf(90), how: 'pull request merged' }).loop;
    expect(decide(merged, move())).toEqual({ loop: merged, effects: [] });
  });

  it.each(['', 'VERIFY'])('is merged and proved again by `/rerun %s`, in a draft', (argument) => {
    const loop = decide(finished(), move()).loop;
    const after = decide(loop, command('rerun', argument, timeOf(95), { pull: 'open' })).loop;
    expect(after).toMatchObject({ phase: 'VERIFY', status: 'working', started: { base: { sha: TIP } } });
    expect(after.counters.iterations).toBe(loop.counters.iterations);
    expect(after.pending.map(({ type }) => type)).toEqual(expect.arrayContaining(['redraft', 'land']));
  });

  it('builds anew by `/rerun BUILD`, as ever', () => {
    const loop = decide(finished(), move()).loop;
    expect(decide(loop, command('rerun', 'BUILD', timeOf(95), { pull: 'open' })).loop).toMatchObject({
      phase: 'BUILD',
    });
  });
});
