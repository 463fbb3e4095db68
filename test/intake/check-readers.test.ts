/** What the end of checks means, and what our own are told apart by. */
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { building, SHA } from '../loop/stands.ts';
import { timeOf } from '../loop/world.ts';
import { AT, BASE, doors, from, MARIA, REF } from './door.ts';

const openDoor = doors();

describe('checks that end', () => {
  const shipping = (over: Partial<Loop> = {}, head = SHA): Loop => {
    const loop = asReviewed(building());
    return {
      ...loop,
      phase: 'SHIP',
      shipping: {
        promotion: { by: 'auto', why: 'no secrets' },
        promotedAt: timeOf(60),
        asked: 0,
        waitsFor: [],
        checks: [],
      },
      review: { ...loop.review, head },
      ...over,
    };
  };
  const run = (over: object) => ({
    id: 900,
    conclusion: 'success',
    path: '.github/workflows/ci.yml',
    event: 'pull_request',
    head_sha: SHA,
    display_title: 'CI',
    triggering_actor: MARIA,
    ...over,
  });
  const heard = [[2, '7/12/1', { type: 'heard', at: AT, sha: SHA }]];
  const own = { slug: 'loopwright' };

  it.each([
    ['a check run', 'check_run', { action: 'completed', check_run: { head_sha: SHA, external_id: null } }],
    ['a suite', 'check_suite', { action: 'completed', check_suite: { head_sha: SHA, app: { slug: 'dco' } } }],
    ['a status', 'status', { sha: SHA, name: 'acme/shop', state: 'pending' }],
    ['a workflow run', 'workflow_run', { action: 'completed', workflow_run: run({}) }],
  ])('are heard by the loop that awaits this commit, and by no other: %s', async (_, name, body) => {
    const door = await openDoor();
    await door.keep(shipping());
    await door.keep(shipping({ ref: { ...REF, issue: 13 } }, BASE));
    await door.keep({ ...asReviewed(building()), ref: { ...REF, issue: 14 }, phase: 'VERIFY' });
    await door.keep(shipping({ ref: { ...REF, issue: 15 }, status: 'stopped' }));
    await door.keep(shipping({ ref: { ...REF, repositoryId: 8 } }));
    expect(await door.said(name, from(MARIA, body))).toEqual(heard);
    await door.deliver(name, from(MARIA, body));
    expect(await door.told()).toEqual(['heard']);
    expect(door.asked).toEqual([]);
  });

  it.each([
    ['check_run', MARIA, { action: 'completed', check_run: { head_sha: SHA, external_id: 'x', app: own } }],
    ['check_suite', MARIA, { action: 'completed', check_suite: { head_sha: SHA, app: own } }],
    ['status', { ...MARIA, login: 'loopwright[bot]', type: 'Bot' }, { sha: SHA }],
  ])('of the App itself are no news: %s', async (name, sender, body) => {
    const door = await openDoor();
    await door.keep(shipping());
    expect(await door.said(name, from(sender, body))).toEqual([]);
  });
});
