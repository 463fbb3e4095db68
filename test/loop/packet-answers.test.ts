import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { command, labelledEvent, measured, PERSON, RAW, REF, timeOf } from './world.ts';

const SHA = 'b'.repeat(40);
const POSTED = '2026-01-01T01:00:07Z';
const SAME_SECOND = '2026-01-01T01:00:07Z';
const SECOND_BEFORE = '2026-01-01T01:00:06Z';

const drafted = ({ entry, phase }: Loop): Event => ({
  type: 'drafted',
  at: timeOf(1),
  entry,
  documents: [],
  measurements: measured(phase, true),
  defects: [],
  calls: [],
  surface: 'http',
});

/** A packet is being published: people may see it at any moment now. */
function publishing(loop = decide(newLoop(REF), labelledEvent()).loop): Loop {
  const draft = loop.pending.find(({ type }) => type === 'draft');
  return draft === undefined ? loop : publishing(settle(loop, draft.key, drafted(loop)).loop);
}

function settled(loop: Loop, outcome: Event): Loop {
  const publish = loop.pending.find(({ type }) => type === 'publish');
  return settle(loop, publish?.key ?? '', outcome).loop;
}

const published = ({ entry, limits }: Loop): Event => ({
  type: 'published',
  at: POSTED,
  entry,
  head: SHA,
  pull: 13,
  pullNodeId: 'PR_1',
  digest: RAW,
  usd: limits.usd,
});
const failed = ({ entry }: Loop): Event => ({
  type: 'failed',
  at: POSTED,
  entry,
  cause: 'setup',
  reason: 'GitHub refused.',
  calls: [],
});
const said = (name: string, argument: string, createdAt: string, over = {}) =>
  command(name, argument, timeOf(61), { createdAt, ...over });
const press: Event = { type: 'pressed', at: timeOf(61), by: PERSON, role: 'write', button: 'approve', digest: RAW };
const review = (submittedAt: string): Event => ({
  type: 'reviewed',
  at: timeOf(61),
  by: PERSON,
  role: 'write',
  state: 'changes_requested',
  body: 'clearer',
  submittedAt,
});

function sentences({ pending }: Loop): readonly string[] {
  return pending.flatMap((effect) => (effect.type === 'reply' ? [effect.text] : []));
}
function reactions({ pending }: Loop): readonly string[] {
  return pending.flatMap((effect) => (effect.type === 'react' ? [effect.content] : []));
}

describe('what people say to a packet that they see before the loop knows that it is there', () => {
  it.each([
    ['/approve', said('approve', '', SAME_SECOND), { phase: 'BUILD', approval: { by: PERSON, digest: RAW } }],
    ['/reject', said('reject', 'clearer', SAME_SECOND), { phase: 'DEFINE' }],
    ['the button', press, { phase: 'BUILD', approval: { by: PERSON, digest: RAW } }],
    ['a review', review(SAME_SECOND), { phase: 'DEFINE' }],
  ])('waits, and then counts: %s', (_, event, expected) => {
    const before = publishing();
    expect(before).toMatchObject({ phase: 'ARCH_REVIEW', status: 'working' });
    const heard = decide(before, event).loop;
    expect({ ...heard, held: [], seq: 0 }).toEqual({ ...before, seq: 0 });
    expect(settled(heard, published(heard))).toMatchObject({ ...expected, status: 'working', held: [] });
  });

  it.each([
    [
      said('approve', '', SECOND_BEFORE),
      'The packet changed after that comment was written; read the newest one and say `/approve` again.',
    ],
    [
      said('reject', 'clearer', SECOND_BEFORE),
      'The packet changed after that comment was written; read the newest one and say `/reject` again.',
    ],
    [
      review(SECOND_BEFORE),
      'The packet changed after that review was written; read the newest one and request the changes again.',
    ],
  ])('does not count when it was written before the packet could be seen', (event, sentence) => {
    const heard = decide(publishing(), event).loop;
    const loop = settled(heard, published(heard));
    expect(loop).toMatchObject({ phase: 'ARCH_REVIEW', status: 'waiting', waitingFor: 'approval', held: [] });
    expect(sentences(loop)).toEqual([sentence]);
  });

  it('is answered when the packet cannot be published', () => {
    const heard = decide(publishing(), said('approve', '', SAME_SECOND)).loop;
    const stopped = settled(heard, failed(heard));
    expect(stopped).toMatchObject({ status: 'stopped', held: [] });
    expect(reactions(stopped)).toEqual(['confused']);
    expect(sentences(stopped)).toEqual(['There is no packet to approve now.']);
  });

  it('is answered when somebody stops the loop meanwhile', () => {
    const heard = decide(publishing(), said('approve', '', SAME_SECOND)).loop;
    const stopped = decide(heard, said('stop', '', SAME_SECOND, { commentId: 98 })).loop;
    expect(stopped).toMatchObject({ status: 'stopped', held: [] });
    expect(reactions(stopped).toSorted()).toEqual(['+1', 'confused']);
  });

  it('waits through a pause, and counts when the loop is resumed', () => {
    const heard = decide(publishing(), said('approve', '', SAME_SECOND)).loop;
    const paused = decide(heard, said('pause', '', SAME_SECOND)).loop;
    const held = settled(paused, published(paused));
    expect(held).toMatchObject({ status: 'paused', held: [{ type: 'commanded' }, { type: 'published' }] });
    const resumed = decide(held, said('resume', '', SAME_SECOND)).loop;
    expect(resumed).toMatchObject({ phase: 'BUILD', status: 'working', held: [], approval: { digest: RAW } });
  });

  it('is told to resume first where the loop was paused before', () => {
    const paused = decide(publishing(), said('pause', '', SAME_SECOND)).loop;
    const heard = decide(paused, said('approve', '', SAME_SECOND)).loop;
    expect(heard.held).toEqual([]);
    expect(sentences(heard)).toEqual([
      'The loop is paused, so nothing was decided; say `/resume` first, and then `/approve` again.',
    ]);
  });

  it('is answered at once where it lacks permission', () => {
    const heard = decide(publishing(), said('approve', '', SAME_SECOND, { permitted: false })).loop;
    expect(heard.held).toEqual([]);
    expect(sentences(heard)).toEqual(['`/approve` needs write permission.']);
  });
});
