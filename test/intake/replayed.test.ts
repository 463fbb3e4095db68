/** Only the body of a webhook is signed: whoever has one can bring it again, at any time and under another id. What it said is not done again. */
import { expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { atReview, building } from '../loop/stands.ts';
import { command, timeOf } from '../loop/world.ts';
import { commentOf, doors, from, labelled, MARIA, REF } from './door.ts';

const openDoor = doors();

it('a command is done once, and each command of a comment is', async () => {
  const door = await openDoor();
  await door.keep(building());
  const said = commentOf('/budget +2\n/budget +3');
  for (let times = 0; times < 4; times += 1) await door.deliver('issue_comment', said);
  expect((await door.loop())?.started?.limits.usd).toBe(8);
  expect(await door.told()).toEqual(['commanded', 'commanded']);
});

it('a command that was said to a loop is not said to the next one of its issue', async () => {
  const door = await openDoor();
  await door.keep(building());
  const said = commentOf('/stop');
  await door.deliver('issue_comment', said);
  expect(await door.loop()).toMatchObject({ status: 'stopped' });
  await door.keep({ ...building(), ref: { ...REF, n: 2 } });
  await door.deliver('issue_comment', said);
  expect(await door.loop({ n: 2 })).toMatchObject({ status: 'working' });
});

it('a command is done once also after its comment was edited or came by way of another issue', async () => {
  const door = await openDoor();
  await door.keep(building());
  await door.keep({ ...building(), ref: { ...REF, issue: 13 } });
  const comment = { id: 5000 };
  await door.deliver('issue_comment', commentOf('/budget +2', { comment }));
  await door.deliver('issue_comment', commentOf('/budget +9', { comment, issue: { number: 13 } }));
  expect((await door.loop())?.started?.limits.usd).toBe(5);
  expect((await door.loop({ issue: 13 }))?.started?.limits.usd).toBe(3);
});

it('two refused commands of one kind in one comment have one answer, which says what is the same once', async () => {
  const door = await openDoor();
  await door.keep(building());
  await door.deliver('issue_comment', commentOf('/priority soon\n/priority later\n/budget 2\n/budget 3'));
  const { pending = [] } = (await door.loop()) ?? {};
  expect(pending.flatMap((effect) => (effect.type === 'reply' ? effect.text.split('\n').length : []))).toEqual([2]);
});

it('a label that began a loop begins no other when that has ended', async () => {
  const door = await openDoor();
  const label = labelled();
  await door.deliver('issues', label);
  expect(await door.loop()).toMatchObject({ status: 'working' });
  await door.deliver('issue_comment', commentOf('/stop'));
  await door.deliver('issues', label);
  expect(await door.loop({ n: 2 })).toBeUndefined();
});

const reviewOf = (id: number, over: object = {}) =>
  from(MARIA, {
    action: 'submitted',
    pull_request: { number: asReviewed(atReview()).review.pull, head: { ref: 'loopwright/12', repo: { id: 7 } } },
    review: { id, state: 'approved', body: 'Fine.', submitted_at: timeOf(90), ...over },
  });

it('a review is answered once', async () => {
  const door = await openDoor();
  await door.keep(atReview());
  for (const id of [1, 1, 2, 2, 1]) await door.deliver('pull_request_review', reviewOf(id));
  expect(await door.told()).toEqual(['reviewed', 'reviewed']);
});

/** A press on the button of the newest packet; the time is when one of our checks last changed. */
const pressOf = (updated_at: string, over: object = {}) => {
  const { packet } = asReviewed(atReview()).review;
  const external_id = `7/12/1/ARCH_REVIEW/1/${packet.digest}`;
  const check_run = { id: 77, external_id, head_sha: 'a'.repeat(40), completed_at: null, check_suite: { updated_at } };
  return from(MARIA, { action: 'requested_action', requested_action: { identifier: 'approve' }, check_run, ...over });
};

it('a press that was not taken is not taken later, and the same button can be pressed again when it is shown anew', async () => {
  const door = await openDoor();
  await door.keep(decide(atReview(), command('pause', '', timeOf(60))).loop);
  const early = pressOf('2026-01-10T00:00:00Z');
  await door.deliver('check_run', early);
  await door.deliver('issue_comment', commentOf('/resume'));
  await door.deliver('check_run', early);
  expect(await door.loop()).toMatchObject({ waitingFor: 'approval' });
  await door.deliver('check_run', pressOf('2026-01-10T00:00:09Z'));
  expect(await door.loop()).toMatchObject({ phase: 'BUILD', approval: { by: MARIA } });
  expect(await door.told()).toEqual(['pressed', 'commanded', 'pressed']);
});

it('a press on what GitHub calls re-run is answered once a moment', async () => {
  const door = await openDoor();
  await door.keep(atReview());
  const rerun = { action: 'rerequested', requested_action: undefined };
  for (const second of [1, 1, 2]) await door.deliver('check_run', pressOf(`2026-01-10T00:00:0${second}Z`, rerun));
  expect(await door.told()).toEqual(['pressed', 'pressed']);
});
