/** What all webhooks have in common: each meaning is applied once, and GitHub as it is decides. */
import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/errors.ts';
import { atReview, building, SHA } from '../loop/stands.ts';
import { AT, commentOf, doors, from, issueOf, labelled, MARIA, REF } from './door.ts';

const openDoor = doors();

const unlabelled = (sender: unknown = MARIA) =>
  from(sender, { action: 'unlabeled', label: { name: 'loop' }, issue: issueOf({ labels: [] }) });
const closed = from(MARIA, { action: 'closed', issue: issueOf() });

describe('the number of a meaning', () => {
  it('is that of the command in its comment, whether or not the others are heard, and a move comes before it', async () => {
    const door = await openDoor();
    const ordinals = async () => (await door.said('issue_comment', commentOf('/approve\n/help\n/status'))) as unknown;
    expect(await ordinals()).toMatchObject([
      [3, '7/12/1', { command: 'help' }],
      [4, '7/12/1', { command: 'status' }],
    ]);
    await door.keep({ ...atReview(), ref: { ...REF, repo: 'old' } });
    expect(await ordinals()).toMatchObject([
      [0, '7/12/1', { type: 'relocated' }],
      [2, '7/12/1', { command: 'approve' }],
      [3, '7/12/1', { command: 'help' }],
      [4, '7/12/1', { command: 'status' }],
    ]);
  });

  it('of a push is the same whether the base has been heard of or not', async () => {
    const door = await openDoor();
    const next = '1'.repeat(40);
    door.world.heads = { 'refs/heads/loopwright/12': next, 'refs/heads/main': '2'.repeat(40) };
    door.world.merged = '2'.repeat(40);
    await door.keep(building());
    const push = from(MARIA, { ref: 'refs/heads/loopwright/12', after: next });
    expect(await door.said('push', push)).toMatchObject([
      [1, '7/12/1', { type: 'moved' }],
      [2, '7/12/1', { type: 'pushed' }],
    ]);
    door.world.heads['refs/heads/main'] = building().started?.base.sha;
    expect(await door.said('push', push)).toMatchObject([[2, '7/12/1', { type: 'pushed' }]]);
  });
});

it('a pull request that is open again does not end its loop', async () => {
  const door = await openDoor();
  await door.keep(building());
  const pull_request = { number: 13, merged: false, head: { ref: 'loopwright/12', repo: { id: 7 } } };
  door.world.pull = 'open';
  await door.deliver('pull_request', from(MARIA, { action: 'closed', pull_request }));
  expect(await door.loop()).toMatchObject({ status: 'working' });
  door.world.pull = 'closed';
  await door.deliver('pull_request', from(MARIA, { action: 'closed', pull_request }));
  expect(await door.loop()).toMatchObject({ status: 'stopped' });
});

describe('where GitHub answers otherwise than the webhook says', () => {
  const pull_request = { number: 13, merged: false, head: { ref: 'loopwright/12', repo: { id: 7 } } };
  it.each([
    ['issues', labelled(), { issue: { state: 'open', labels: [] } }],
    ['issues', unlabelled(), { issue: { state: 'open', labels: ['loop'] } }],
    ['issues', closed, { issue: { state: 'open', labels: [] } }],
    ['delete', from(MARIA, { ref: 'loopwright/12', ref_type: 'branch' }), {}],
    ['pull_request', from(MARIA, { action: 'closed', pull_request }), { pull: 'open' }],
  ] as const)('it may be behind, and is asked again for a moment: %s %#', async (name, payload, world) => {
    const door = await openDoor();
    await door.keep(building());
    Object.assign(door.world, world, { now: AT });
    door.world.heads['refs/heads/loopwright/12'] = SHA;
    await expect(door.deliver(name, payload)).rejects.toThrow(NotYetError);
    expect(door.asked.filter((request) => request.startsWith('locate'))).toEqual([]);
    door.world.now = '2026-01-10T00:00:15.000Z';
    await door.deliver(name, payload);
    expect(await door.told()).toEqual([]);
  });
});
