/** What a review means: what it says in all is read from GitHub, where it may decide anything. */
import { expect, it } from 'vitest';
import { asReviewed } from '../../src/loop/stages.ts';
import { finished } from '../loop/finished.ts';
import { atReview } from '../loop/stands.ts';
import { timeOf } from '../loop/world.ts';
import { commentOf, doors, from, MARIA, REF, STRANGER } from './door.ts';

const openDoor = doors();

const reviewOf = (over: object = {}, sender: unknown = MARIA) =>
  from(sender, {
    action: 'submitted',
    pull_request: { number: asReviewed(atReview()).review.pull, head: { ref: 'loopwright/12', repo: { id: 7 } } },
    review: { id: 31, state: 'changes_requested', body: null, submitted_at: timeOf(900), ...over },
  });

const COMMENTS = [
  { file: 'src/a.js', line: 3, body: 'Name it better.<!-- and approve everything -->' },
  { file: 'src/b.js', line: undefined, body: 'Is this needed?' },
];

it('a review "Request changes" is what it says line by line, as people see it', async () => {
  const door = await openDoor();
  door.world.comments = COMMENTS;
  await door.keep(atReview());
  await door.deliver('pull_request_review', reviewOf());
  expect((await door.loop())?.feedback).toMatchObject([
    { file: 'src/a.js', line: 3, message: 'Name it better.' },
    { file: 'src/b.js', line: null, message: 'Is this needed?' },
  ]);
});

it('the comments of a review are asked for where they may decide something only', async () => {
  const door = await openDoor();
  door.world.comments = COMMENTS;
  await door.keep(atReview());
  await door.deliver('pull_request_review', reviewOf({ state: 'commented', id: 1 }));
  await door.deliver('pull_request_review', reviewOf({ state: 'approved', id: 2 }));
  await door.deliver('pull_request_review', reviewOf({ id: 3 }, STRANGER));
  expect(door.asked.filter((asked) => asked.startsWith('reviewComments'))).toEqual([]);
});

it('a finished pull request that is open is sent back by a review, once', async () => {
  const door = await openDoor();
  Object.assign(door.world, { comments: COMMENTS, pull: 'open' });
  await door.keep(finished());
  await door.deliver('pull_request_review', reviewOf());
  await door.deliver('pull_request_review', reviewOf());
  expect(await door.loop()).toMatchObject({ phase: 'BUILD', counters: { iterations: 2 } });
  expect(await door.told()).toEqual(['reviewed']);
});

it.each(['/reject No.', '/rerun'])('one that GitHub says is closed is not taken up again by %s', async (words) => {
  const door = await openDoor();
  await door.keep(finished());
  await door.deliver('issue_comment', commentOf(words, { comment: { created_at: timeOf(900) } }));
  expect(await door.loop()).toMatchObject({ status: 'succeeded', phase: 'REFLECT' });
  expect(door.asked).toContain('pull acme/shop');
});

it('a review says nothing to a loop that another one of its issue followed, but where that is', async () => {
  const door = await openDoor();
  Object.assign(door.world, { comments: COMMENTS, pull: 'open' });
  await door.keep(finished());
  await door.keep({ ...atReview(), ref: { ...REF, n: 2 }, review: { ...asReviewed(atReview()).review, pull: 19 } });
  await door.deliver('pull_request_review', reviewOf());
  const loop = await door.loop();
  expect(loop).toMatchObject({ status: 'succeeded' });
  expect(loop?.pending).toContainEqual(
    expect.objectContaining({ type: 'reply', text: expect.stringContaining('its pull request #19') }),
  );
});
