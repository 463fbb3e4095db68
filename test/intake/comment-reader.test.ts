/** To which loop a comment speaks, and for whom it speaks. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { atReview, building } from '../loop/stands.ts';
import { command, timeOf } from '../loop/world.ts';
import { commentOf, doors, MARIA, REF, STRANGER } from './door.ts';

const openDoor = doors();

const stopped = (): Loop => decide(building(), command('stop', '', timeOf(60))).loop;

describe('an account that was deleted', () => {
  it('is answered to by others: their commands hold on its issue', async () => {
    const door = await openDoor();
    await door.keep(atReview());
    await door.deliver('issue_comment', commentOf('/pause', { issue: { user: null } }));
    expect(await door.loop()).toMatchObject({ status: 'paused' });
  });

  it('says nothing, also not as the author of the issue', async () => {
    const door = await openDoor();
    await door.keep(atReview());
    await door.deliver('issue_comment', commentOf('/auto\n/stop', { issue: { user: null }, sender: null }));
    expect(await door.told()).toEqual([]);
    expect(door.asked).toEqual([]);
  });
});

describe('on an issue without a loop', () => {
  it.each([
    ['a stranger', '/approve\n/hold\n/stop'],
    ['a stranger', '/help\n/status'],
    ['somebody who may write', '/approve\n/stop\n/context x'],
  ])('what %s says is left alone: %j', async (who, body) => {
    const sender = who === 'a stranger' ? STRANGER : MARIA;
    const door = await openDoor();
    await door.deliver('issue_comment', commentOf(body, { sender }));
    expect(await door.loop()).toBeUndefined();
    if (body.startsWith('/approve')) expect(door.asked).toEqual([]);
  });

  it('/help and /status of somebody who may write are answered', async () => {
    const door = await openDoor();
    await door.deliver('issue_comment', commentOf('/approve\n/help\n/status'));
    const { status, pending = [] } = (await door.loop()) ?? {};
    expect(status).toBe('idle');
    expect(pending.map(({ type }) => type)).toEqual(['tell', 'react', 'tell', 'react']);
  });

  it('a label that was refused leaves it so, and a loop before it is still spoken to', async () => {
    const door = await openDoor();
    await door.keep(stopped());
    await door.keep({ ...stopped(), ref: { ...REF, n: 2 }, status: 'idle' });
    await door.deliver('issue_comment', commentOf('/rerun'));
    expect(await door.loop()).toMatchObject({ status: 'working' });
    const other = await openDoor();
    await other.keep({ ...stopped(), status: 'idle' });
    await other.deliver('issue_comment', commentOf('/approve'));
    expect(await other.told()).toEqual([]);
  });
});

describe("a comment that another App made in somebody's name", () => {
  it('says nothing, whoever that is', async () => {
    const door = await openDoor();
    await door.keep(atReview());
    for (const performed_via_github_app of [{ id: 1, slug: 'helper' }, {}, 'helper'])
      await door.deliver('issue_comment', commentOf('/stop', { comment: { performed_via_github_app } }));
    expect(await door.told()).toEqual([]);
    expect(door.asked).toEqual([]);
    await door.deliver('issue_comment', commentOf('/stop', { comment: { performed_via_github_app: null } }));
    expect(await door.told()).toEqual(['commanded']);
  });
});
