import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { CommandName } from '../../src/loop/people/commands.ts';
import { failure, press, published, review, sentences, started, upTo } from './stands.ts';
import { command, PERSON, RAW, timeOf } from './world.ts';

const SAME_SECOND = '2026-01-01T01:00:07Z';
const SECOND_BEFORE = '2026-01-01T01:00:06Z';

/** A packet is being published: people may see it at any moment now. */
const publishing = () => upTo(started(), 'publish');

function settled(loop: Loop, outcome: Event = published(loop, SAME_SECOND)): Loop {
  const publish = loop.pending.find(({ type }) => type === 'publish');
  return settle(loop, publish?.key ?? '', outcome).loop;
}

const said = (name: CommandName, argument: string, createdAt: string, over = {}) =>
  command(name, argument, timeOf(61), { createdAt, ...over });

function reactions({ pending }: Loop): readonly string[] {
  return pending.flatMap((effect) => (effect.type === 'react' ? [effect.content] : []));
}

describe('what people say to a packet that they see before the loop knows that it is there', () => {
  it.each([
    ['/approve', said('approve', '', SAME_SECOND), { phase: 'BUILD', approval: { by: PERSON, digest: RAW } }],
    ['/reject', said('reject', 'clearer', SAME_SECOND), { phase: 'DEFINE' }],
    ['the button', press, { phase: 'BUILD', approval: { by: PERSON, digest: RAW } }],
    ['a review', review({ submittedAt: SAME_SECOND }), { phase: 'DEFINE' }],
  ])('waits, and then counts: %s', (_, event, expected) => {
    const before = publishing();
    expect(before).toMatchObject({ phase: 'ARCH_REVIEW', status: 'working' });
    const heard = decide(before, event).loop;
    expect({ ...heard, held: [], seq: 0 }).toEqual({ ...before, seq: 0 });
    expect(settled(heard)).toMatchObject({ ...expected, status: 'working', held: [] });
  });

  it.each([
    [
      '/approve',
      said('approve', '', SECOND_BEFORE),
      'The packet changed after that comment was written; read the newest one and say `/approve` again.',
    ],
    [
      '/approve, in the second of the packet and yet before it',
      said('approve', '', SAME_SECOND, { commentId: 89 }),
      'The packet changed after that comment was written; read the newest one and say `/approve` again.',
    ],
    [
      '/reject',
      said('reject', 'clearer', SECOND_BEFORE),
      'The packet changed after that comment was written; read the newest one and say `/reject` again.',
    ],
    [
      'a review',
      review({ submittedAt: SECOND_BEFORE }),
      'The packet changed after that review was written; read the newest one and request the changes again.',
    ],
  ])('does not count when it was written before the packet could be seen: %s', (_, event, sentence) => {
    const heard = decide(publishing(), event).loop;
    const loop = settled(heard);
    expect(loop).toMatchObject({ phase: 'ARCH_REVIEW', status: 'waiting', waitingFor: 'approval', held: [] });
    expect(sentences(loop)).toEqual([sentence]);
  });

  it('is answered when the packet cannot be published', () => {
    const heard = decide(publishing(), said('approve', '', SAME_SECOND)).loop;
    const stopped = settled(heard, failure(heard, 'setup'));
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
    const held = settled(paused);
    // That people see the packet is known at once: its branch, too, may be pushed to from now on.
    expect(held).toMatchObject({ status: 'paused', waitingFor: 'approval', held: [{ type: 'commanded' }] });
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
