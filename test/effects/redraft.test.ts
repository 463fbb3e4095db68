/** The way back to draft: done once, whatever the loop is held for, and the place where an ended loop finds what happened meanwhile. */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { redraft } from '../../src/effects/redraft.ts';
import { work } from '../../src/engine/advance.ts';
import { decide } from '../../src/loop/decide.ts';
import type { EffectOf } from '../../src/loop/effect.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Ports } from '../../src/ports.ts';
import { doors, REF } from '../intake/door.ts';
import { finished } from '../loop/finished.ts';
import { command, timeOf } from '../loop/world.ts';

const openDoor = doors();
type Pull = Awaited<ReturnType<Ports['github']['pull']>>;

const sentBack = () => asReviewed(decide(finished(), command('reject', 'No.', timeOf(90))).loop);

/** A GitHub that tells this of the pull request, and notes what is turned back to draft. */
async function stage(told: Partial<Pull> = {}) {
  const door = await openDoor();
  const { head } = sentBack().review;
  const pull: Pull = {
    state: 'open',
    merged: false,
    draft: false,
    branch: 'loopwright/12',
    headSha: head,
    baseSha: 'b'.repeat(40),
    mergeable: true,
    ...told,
  };
  const drafts: string[] = [];
  const markDraft = async (_: unknown, nodeId: string) => void drafts.push(nodeId);
  const ports: Ports = { ...door.ports, github: { ...door.ports.github, pull: async () => pull, markDraft } };
  return { door, ports, drafts };
}

async function performed(told: Partial<Pull> = {}) {
  const { ports, drafts } = await stage(told);
  const loop = sentBack();
  const effect: EffectOf<'redraft'> = { type: 'redraft', key: `${loop.entry}/redraft`, entry: loop.entry };
  return { event: await redraft(effect, loop, ports), drafts };
}

describe('a pull request that was sent back', () => {
  test('becomes a draft', async () => {
    expect(await performed()).toEqual({ event: undefined, drafts: ['PR_1'] });
  });

  test('is left as it is where it is one already', async () => {
    expect(await performed({ draft: true })).toEqual({ event: undefined, drafts: [] });
  });

  test.each([
    [true, 'pull request merged'],
    [false, 'pull request closed'],
  ])('ends its loop where it is no longer open (merged: %s)', async (merged, how) => {
    const { event, drafts } = await performed({ state: 'closed', merged });
    expect([event, drafts]).toMatchObject([{ type: 'ended', how }, []]);
  });

  test('tells what people pushed to it since it was ready: a loop that has ended hears of no push', async () => {
    const { event, drafts } = await performed({ headSha: 'c'.repeat(40) });
    expect([event, drafts]).toMatchObject([{ type: 'pushed', sha: 'c'.repeat(40), documentsChanged: false }, ['PR_1']]);
  });

  test('becomes one also while its loop is paused, whose other work waits', async () => {
    const { door, ports, drafts } = await stage();
    await door.keep(decide(sentBack(), command('pause', '', timeOf(91))).loop);
    const log = pino({ level: 'silent' });
    await work({ loopId: idOf(REF), lane: 'work', tries: { attempt: 1, failed: {} } }, ports, log);
    expect(drafts).toEqual(['PR_1']);
    const loop = await door.loop();
    expect(loop).toMatchObject({ status: 'paused', phase: 'BUILD' });
    expect(loop?.pending.map(({ type }) => type)).toContain('dispatch');
    expect(loop?.pending.map(({ type }) => type)).not.toContain('redraft');
  });
});
