/** What pushes and deleted branches mean: the branch as it is decides, not what is told of it. */
import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/errors.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { building, SHA } from '../loop/stands.ts';
import { BASE, type Door, doors, from, MARIA } from './door.ts';

const openDoor = doors();

describe('a push to the branch of a loop', () => {
  const push = (after: string, over: object = {}) =>
    from({ ...MARIA, login: 'wout' }, { ref: 'refs/heads/loopwright/12', before: BASE, after, ...over });
  const ONE = '1'.repeat(40);
  const TWO = '2'.repeat(40);
  const at = (door: Door, head: string | undefined) => {
    door.world.heads['refs/heads/loopwright/12'] = head;
  };

  it.each([
    ['in their order', [push(ONE), push(TWO)]],
    ['in the other order', [push(TWO), push(ONE)]],
    ['twice', [push(ONE), push(TWO), push(ONE)]],
  ])('is where the branch is: two pushes told %s', async (_, pushes) => {
    const door = await openDoor();
    await door.keep(building());
    at(door, TWO);
    door.world.merged = ONE;
    for (const payload of pushes) await door.deliver('push', payload);
    expect(await door.loop()).toMatchObject({ review: { head: TWO } });
    expect((await door.told()).filter((type) => type === 'pushed')).toHaveLength(1);
  });

  it('that is told long after says nothing', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    door.world.merged = ONE;
    await door.deliver('push', push(ONE));
    expect(await door.told()).toEqual([]);
  });

  it('that GitHub itself does not show yet is read again for five minutes, and then says nothing', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    await expect(door.deliver('push', push(ONE))).rejects.toThrow(NotYetError);
    expect(await door.told()).toEqual([]);
    await door.deliver('push', push(ONE), '2026-01-09T23:55:00.000Z');
    expect(await door.told()).toEqual([]);
    at(door, ONE);
    await door.deliver('push', push(ONE));
    expect(await door.loop()).toMatchObject({ review: { head: ONE } });
  });

  it('that GitHub does not show yet is read again also where an earlier push is known to GitHub only', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, ONE);
    door.world.merged = SHA;
    await expect(door.deliver('push', push(TWO))).rejects.toThrow(NotYetError);
    at(door, TWO);
    await door.deliver('push', push(TWO));
    expect(await door.loop()).toMatchObject({ review: { head: TWO } });
  });

  it('by force, to before the documents, voids the approval', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, ONE);
    // GitHub compares from the last common commit, which is the new head itself.
    door.world.paths = { [`${ONE}...${SHA}`]: ['.loopwright/12/spec.md'] };
    await door.deliver('push', push(ONE, { forced: true }));
    expect(await door.loop()).toMatchObject({ review: { head: ONE }, phase: 'DEFINE' });
  });

  it.each([
    { name: 'push', payload: push('0'.repeat(40), { deleted: true }) },
    { name: 'delete', payload: from({ ...MARIA, login: 'wout' }, { ref: 'loopwright/12', ref_type: 'branch' }) },
  ])('that took the branch away stops it, by $name', async ({ name, payload }) => {
    const door = await openDoor();
    await door.keep(building());
    await door.deliver(name, payload);
    expect(await door.loop()).toMatchObject({ status: 'stopped', note: 'Stopped: branch deleted by @wout.' });
  });

  it('that took away a branch that is there again does not', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    await door.deliver('delete', from(MARIA, { ref: 'loopwright/12', ref_type: 'branch' }));
    expect(await door.loop()).toMatchObject({ status: 'working' });
  });

  it("is left to the App's own outcome while the App moves the branch itself", async () => {
    const door = await openDoor();
    const promoting: Loop = {
      ...building(),
      phase: 'SHIP',
      pending: [{ type: 'promote', key: '9/promote', entry: building().entry }],
    };
    await door.keep(promoting);
    at(door, TWO);
    await door.deliver('push', push(ONE));
    expect(await door.told()).toEqual([]);
    await door.deliver('push', push(TWO));
    expect(await door.told()).toEqual(['pushed']);
  });
});
