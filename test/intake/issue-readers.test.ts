/** What labels and the closing of an issue mean: they come late, twice and in another order; the issue as it is decides. */
import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/errors.ts';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { atReview, building, started } from '../loop/stands.ts';
import { command, timeOf } from '../loop/world.ts';
import { AT, type Door, doors, from, issueOf, labelled, MARIA, REF } from './door.ts';

const openDoor = doors();

const unlabelled = (sender: unknown = MARIA) =>
  from(sender, { action: 'unlabeled', label: { name: 'loop' }, issue: issueOf({ labels: [] }) });
const closed = from(MARIA, { action: 'closed', issue: issueOf() });
const stopped = (): Loop => decide(building(), command('stop', '', timeOf(60))).loop;
const startedAt = (loop: Loop, at: string): Loop => ({ ...loop, started: { ...asStarted(loop).started, at } });
const onIssue = 'the issue has the label and is open';

describe('a label', () => {
  it('starts a loop also on the issue of an account that was deleted', async () => {
    const door = await openDoor();
    await door.deliver('issues', labelled({ issue: { user: null } }));
    expect(await door.loop()).toMatchObject({
      status: 'working',
      started: { issue: { author: { login: 'ghost' } } },
    });
  });

  it('starts a loop whatever its letters are: GitHub has one label of a name', async () => {
    const door = await openDoor();
    door.world.issue = { state: 'open', labels: ['LOOP'] };
    await door.deliver('issues', from(MARIA, { action: 'labeled', label: { name: 'LOOP' }, issue: issueOf() }));
    expect(await door.loop()).toMatchObject({ status: 'working' });
  });

  it.each(['trying', 'asked'] as const)(
    'that comes while the set-up is %s is asked for again, because the verdict is told before it is noted',
    async (stage) => {
      const door = await openDoor();
      const { installationId, repositoryId, owner, repo } = REF;
      const place = { installationId, repositoryId, owner, repo, at: AT };
      await door.ports.store.saveOnboarding({
        onboarding: { ...place, stage, trials: 1, unasked: 1 },
        expectedVersion: 0,
      });
      await expect(door.deliver('issues', labelled(), '2026-01-10T00:00:50.000Z')).rejects.toThrow(NotYetError);
      expect(await door.loop()).toBeUndefined();
    },
  );

  it('has a set-up that somebody closed looked at once more, and once only', async () => {
    const door = await openDoor();
    const { installationId, repositoryId, owner, repo } = REF;
    const declined = { installationId, repositoryId, owner, repo, at: AT, stage: 'declined', pull: 4 } as const;
    const stored = async () => door.ports.store.onboarding(repositoryId);
    const decline = async (expectedVersion: number) =>
      door.ports.store.saveOnboarding({ onboarding: { ...declined, trials: 1, unasked: 3 }, expectedVersion });
    const at = '2026-01-10T00:00:50.000Z';
    await decline(0);
    await expect(door.deliver('issues', labelled(), at)).rejects.toThrow(NotYetError);
    expect((await stored())?.onboarding).toMatchObject({ stage: 'asked', pull: 4, unasked: 0 });
    await decline((await stored())?.version ?? 0);
    // It goes on to what the base holds, which this door has not.
    await expect(door.deliver('issues', labelled(), at)).rejects.toThrow('The door must not use this port.');
    expect((await stored())?.onboarding.stage).toBe('declined');
  });

  it('that was taken away before it is told starts nothing', async () => {
    const door = await openDoor();
    door.world.issue = { state: 'open', labels: [] };
    await door.deliver('issues', labelled());
    expect(await door.loop()).toBeUndefined();
  });

  it('on an issue that is gone starts nothing', async () => {
    const door = await openDoor();
    door.world.issue = undefined;
    await door.deliver('issues', labelled());
    expect(await door.loop()).toBeUndefined();
  });

  it('on a closed issue is refused in one sentence', async () => {
    const door = await openDoor();
    door.world.issue = { state: 'closed', labels: ['loop'] };
    await door.deliver('issues', labelled());
    const { status, pending = [] } = (await door.loop()) ?? {};
    expect(status).toBe('idle');
    expect(pending).toContainEqual(
      expect.objectContaining({ text: 'The issue is closed; reopen it and set the label again.' }),
    );
  });

  it('that a loop answered which has ended since starts no other, however late it is told', async () => {
    const door = await openDoor();
    await door.keep(startedAt(stopped(), '2026-01-09T12:00:00.000Z'));
    await door.deliver('issues', labelled({ issue: { updated_at: '2026-01-09T11:59:00Z' } }));
    expect(await door.loop({ n: 2 })).toBeUndefined();
    await door.deliver('issues', labelled({ issue: { updated_at: undefined } }), '2026-01-09T12:00:00.000Z');
    expect(await door.loop({ n: 2 })).toBeUndefined();
    await door.deliver('issues', labelled({ issue: { updated_at: '2026-01-09T12:01:00Z' } }));
    expect(await door.loop({ n: 2 })).toMatchObject({ status: 'working' });
  });
});

describe('an issue that is gone', () => {
  const gone = (action: string) => from(MARIA, { action, issue: issueOf() });

  it.each([
    ['deleted', 'Stopped: issue deleted by @maria.'],
    ['transferred', 'Stopped: issue moved to another repository by @maria.'],
  ])(
    'because it was %s ends a loop that has no pull request, where nobody could say anything to it',
    async (action, note) => {
      const door = await openDoor();
      await door.keep(decide(started(), command('pause', '', timeOf(5))).loop);
      door.world.issue = undefined;
      await door.deliver('issues', gone(action));
      expect(await door.loop()).toMatchObject({ status: 'stopped', note });
    },
  );

  it('leaves a loop going that has its pull request', async () => {
    const door = await openDoor();
    await door.keep(building());
    door.world.issue = undefined;
    await door.deliver('issues', gone('deleted'));
    expect(await door.loop()).toMatchObject({ status: 'working' });
  });

  it('is asked for again where GitHub still has it, and then left as it is', async () => {
    const door = await openDoor();
    await door.keep(started());
    door.world.issue = stateOf(onIssue);
    await expect(door.deliver('issues', gone('deleted'), '2026-01-10T00:00:50.000Z')).rejects.toThrow(NotYetError);
    await door.deliver('issues', gone('deleted'));
    expect(await door.loop()).toMatchObject({ status: 'working' });
  });
});

describe('taking the label away, or closing', () => {
  it.each([
    ['taking the label away', onIssue, 'waiting'],
    ['taking the label away', 'the issue has no label', 'paused'],
    ['taking the label away', 'there is no such issue', 'paused'],
    ['closing', onIssue, 'waiting'],
    ['closing', 'the issue is closed', 'paused'],
    ['closing', 'there is no such issue', 'paused'],
  ])('is what it has come to: %s, where %s by now, leaves the loop %s', async (what, state, status) => {
    const door = await openDoor();
    await door.keep(atReview());
    door.world.issue = stateOf(state);
    await door.deliver('issues', what === 'closing' ? closed : unlabelled());
    expect(await door.loop()).toMatchObject({ status });
  });

  it.each([
    ['set and taken away', 'the issue has no label', undefined],
    ['taken away and set', onIssue, 'working'],
  ])('the label, %s, ends the same in whatever order it is told', async (_, state, status) => {
    for (const order of [
      [labelled(), unlabelled()],
      [unlabelled(), labelled()],
    ]) {
      const door = await openDoor();
      door.world.issue = stateOf(state);
      for (const payload of order) await door.deliver('issues', payload);
      expect((await door.loop())?.status).toBe(status);
    }
  });

  it('asks GitHub nothing where no loop is live', async () => {
    const door = await openDoor();
    await door.deliver('issues', unlabelled());
    await door.keep(stopped());
    await door.deliver('issues', closed);
    expect(door.asked).toEqual([]);
  });
});

function stateOf(state: string): Door['world']['issue'] {
  if (state === 'there is no such issue') return undefined;
  return {
    state: state === 'the issue is closed' ? 'closed' : 'open',
    labels: state === 'the issue has no label' ? [] : ['loop'],
  };
}
