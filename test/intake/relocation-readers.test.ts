/** How loops learn that their repository is elsewhere. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { atReview, building } from '../loop/stands.ts';
import { command, timeOf } from '../loop/world.ts';
import { commentOf, doors, from, labelled, MARIA, REF } from './door.ts';

const openDoor = doors();

const stopped = (): Loop => decide(building(), command('stop', '', timeOf(60))).loop;

describe('a repository that moved', () => {
  const moved = { installationId: 2, owner: 'globex', repo: 'store' };
  const at = { repository: { id: 7, name: 'store', owner: { login: 'globex' } }, installation: { id: 2 } };

  it.each([
    { name: 'repository', action: 'renamed', body: { ...from(MARIA), ...at } },
    { name: 'repository', action: 'transferred', body: { ...from(MARIA), ...at } },
    { name: 'installation', action: 'created', body: installed('repositories') },
    { name: 'installation_repositories', action: 'added', body: installed('repositories_added') },
  ])('is told to its open loops by $name $action', async ({ name, action, body }) => {
    const payload = { ...body, action };
    const door = await openDoor();
    door.world.place = moved;
    await door.keep(building());
    await door.keep({ ...building(), ref: { ...REF, issue: 13 } });
    await door.keep({ ...building(), ref: { ...REF, repositoryId: 8 } });
    await door.deliver(name, payload);
    expect((await door.loop())?.ref).toEqual({ ...REF, ...moved });
    expect((await door.loop({ issue: 13 }))?.ref).toMatchObject(moved);
    expect((await door.loop({ repositoryId: 8 }))?.ref).toMatchObject({ owner: 'acme', repo: 'shop' });
    expect(door.asked.filter((request) => request.startsWith('locate'))).toHaveLength(1);
  });

  function installed(list: string): object {
    return { installation: { id: 2 }, sender: MARIA, [list]: [{ id: 7, full_name: 'globex/store' }] };
  }

  it('is known to a loop before what any other webhook says to it, also to one that ended', async () => {
    const door = await openDoor();
    door.world.place = moved;
    await door.keep(stopped());
    await door.deliver('issue_comment', { ...commentOf('/rerun'), ...at });
    expect(await door.told()).toEqual(['relocated', 'commanded']);
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'working' });
    expect(door.asked).toContain('permission globex/store');
  });

  it('is not sent back by a webhook from before the move', async () => {
    const door = await openDoor();
    door.world.place = moved;
    await door.keep({ ...atReview(), ref: { ...REF, ...moved } });
    await door.deliver('issue_comment', commentOf('/pause'));
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'paused' });
    expect(door.asked).toEqual(['locate acme/shop', 'permission globex/store']);
  });

  it('is looked for where a webhook names a place that is no longer there, and the webhook read again', async () => {
    const door = await openDoor();
    door.world.place = moved;
    door.world.gone = 'acme/shop';
    expect(await door.deliver('issues', labelled())).toBeUndefined();
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'working' });
  });

  it('out of reach of the App ends what is said of it, with a reason', async () => {
    const door = await openDoor();
    door.world.place = undefined;
    door.world.gone = 'acme/shop';
    expect(await door.deliver('issues', labelled())).toMatch(
      /^issues\.labeled was left alone, because the App no longer reaches acme\/shop: /,
    );
    expect(await door.loop()).toBeUndefined();
  });
});

describe('a right of the App that was taken or given back', () => {
  const repository = { repository: { id: 7, name: 'shop', owner: { login: 'acme' } }, installation: { id: 1 } };
  const removed = { repositories_removed: [{ id: 7, full_name: 'acme/shop' }] };
  const added = { repositories_added: [{ id: 7, full_name: 'acme/shop' }] };
  const ARCHIVED = { reason: 'acme/shop is archived.', isWhole: true };

  it.each([
    { name: 'repository', actions: ['archived', 'unarchived'], bodies: [repository, repository] },
    { name: 'repository', actions: ['privatized', 'publicized'], bodies: [repository, repository] },
    { name: 'installation', actions: ['suspend', 'unsuspend'], bodies: [{}, {}] },
    { name: 'installation', actions: ['suspend', 'new_permissions_accepted'], bodies: [{}, {}] },
    { name: 'installation_repositories', actions: ['removed', 'added'], bodies: [removed, added] },
  ])('is told to its open loops by $name $actions, as GitHub has it now', async ({ name, actions, bodies }) => {
    const door = await openDoor();
    const deliver = (index: number) =>
      door.deliver(name, { installation: { id: 1 }, sender: MARIA, ...bodies[index], action: actions[index] });
    const loop = asReviewed(atReview());
    await door.keep(loop);
    door.world.heads[`refs/heads/${loop.started.branch}`] = loop.review.head;
    await door.keep({ ...atReview(), ref: { ...REF, issue: 13, repositoryId: 8, installationId: 2 } });
    door.world.withheld = ARCHIVED;
    await deliver(0);
    expect(await door.loop()).toMatchObject({
      withheld: { reason: ARCHIVED.reason, lanes: ['work', 'voice', 'cancel'] },
    });
    expect(await door.told()).toEqual(['withheld']);
    door.world.withheld = undefined;
    await deliver(1);
    expect((await door.loop())?.withheld).toBeUndefined();
    expect(await door.told()).toEqual(['withheld', 'regained']);
    expect((await door.loop({ issue: 13, repositoryId: 8 }))?.withheld).toBeUndefined();
  });
});
