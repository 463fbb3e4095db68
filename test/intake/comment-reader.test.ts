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
    expect(pending.map(({ type }) => type)).toEqual(['react', 'tell']);
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

describe('a comment of many commands', () => {
  const answers = async (door: Awaited<ReturnType<typeof openDoor>>) =>
    ((await door.loop())?.pending ?? []).flatMap((effect) => {
      if (effect.type === 'react') return effect.content;
      return effect.type === 'reply' ? effect.text : [];
    });

  it('is answered with one reaction and one reply, whoever wrote it', async () => {
    const door = await openDoor();
    await door.keep({ ...atReview(), pending: [] });
    await door.deliver('issue_comment', commentOf('/approve\n/stop\n/resume\n'.repeat(4), { sender: STRANGER }));
    expect(await answers(door)).toEqual([
      'confused',
      '`/approve`, `/stop` and `/resume` need write permission.\n\nOf one comment the first ten commands are read; 2 more in that one were not, so say them in another comment.',
    ]);
  });

  it('is answered for its first slip too, to somebody who may give that command', async () => {
    const body = '/resume\n/aprove\n/stopp';
    const door = await openDoor();
    await door.keep({ ...atReview(), pending: [] });
    await door.deliver('issue_comment', commentOf(body));
    expect(await answers(door)).toEqual([
      'confused',
      '- `/resume`: The loop is not paused.\n- `/aprove`: There is no `/aprove`; did you mean `/approve`?',
    ]);
  });
});

describe('a slip', () => {
  it.each(['/aprove', 'I agree.\n\n/approve!'])(
    'of somebody who may approve is answered, and approves nothing: %j',
    async (body) => {
      const door = await openDoor();
      await door.keep(atReview());
      await door.deliver('issue_comment', commentOf(body));
      expect(await door.told()).toEqual(['misspelt']);
      expect(await door.loop()).toMatchObject({ waitingFor: 'approval' });
    },
  );

  it.each(['> /aprove', '```\n/aprove\n```', '/context It says\n/approved', 'say /aprove'])(
    'is none where a command would be none, or is part of a text: %j',
    async (body) => {
      const door = await openDoor();
      await door.keep(atReview());
      await door.deliver('issue_comment', commentOf(body));
      expect(await door.told()).not.toContain('misspelt');
    },
  );

  it('of a stranger is left alone, and so is one on an issue without a loop', async () => {
    const door = await openDoor();
    await door.deliver('issue_comment', commentOf('/aprove'));
    expect(door.asked).toEqual([]);
    await door.keep(atReview());
    await door.deliver('issue_comment', commentOf('/aprove', { sender: STRANGER }));
    expect(await door.told()).toEqual([]);
  });
});
