/** What was said while GitHub told nothing is heard once, in its order, and before the loop goes on. */
import { beforeEach, expect, it } from 'vitest';
import { createRegaining } from '../../src/engine/standing.ts';
import { GoneError, UnansweredError, WithheldError } from '../../src/errors.ts';
import type { UnsentWebhook } from '../../src/github/github-port.ts';
import { hearingMeanwhile } from '../../src/intake/take-in.ts';
import { decide } from '../../src/loop/decide.ts';
import { effectLane } from '../../src/loop/effect.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { atReview, SHA } from '../loop/stands.ts';
import { timeOf } from '../loop/world.ts';
import { commentOf, type Door, doors, from, issueOf, MARIA } from './door.ts';

const openDoor = doors();
const BRANCH = 'refs/heads/loopwright/12';
/** When the App heard that it may do nothing. */
const SINCE = timeOf(100);
const SUSPENDED = { reason: 'It is suspended.', isWhole: true };

const waiting = (loop: Loop = atReview(), since = SINCE): Loop =>
  decide(loop, { type: 'withheld', at: since, reason: SUSPENDED.reason, lanes: [...effectLane.options] }).loop;

let door: Door;
beforeEach(async () => {
  door = await openDoor();
  door.world.heads = { 'refs/heads/main': waiting().started?.base.sha, [BRANCH]: SHA };
});

const look = () => createRegaining(door.ports, hearingMeanwhile(door.ports))();
const unsuspended = () => door.deliver('installation', from(MARIA, { action: 'unsuspend' }), timeOf(200));

function said(body: string, at: string, id: number): UnsentWebhook {
  const payload = { ...commentOf(body, { comment: { id, created_at: at, updated_at: at } }) };
  return { id: `comment-${id}`, name: 'issue_comment', at, payload };
}
function closing(at: string, id: number): UnsentWebhook {
  return { id: `event-${id}`, name: 'issues', at, payload: { action: 'closed', issue: issueOf(), sender: MARIA } };
}

it('a `/stop` is heard before a loop goes on that may do a part of its work again', async () => {
  await door.keep(waiting());
  door.world.unsent = [said('/stop', timeOf(110), 901)];
  door.world.withheld = { reason: 'It lacks `checks: write`.', isWhole: false };
  await unsuspended();
  expect(await door.loop()).toMatchObject({ status: 'stopped', withheld: { reason: 'It lacks `checks: write`.' } });
});

it('a loop that may not read what was said goes on with nothing, and says what is missing', async () => {
  await door.keep(waiting());
  const reason = 'It lacks `issues: write`.';
  door.world.withheld = { reason, isWhole: false };
  const { unsent } = door.ports.github;
  const refused = () => Promise.reject(new WithheldError('Resource not accessible by integration', { status: 403 }));
  Object.assign(door.ports.github, { unsent: refused });
  await unsuspended();
  expect(await door.loop()).toMatchObject({ withheld: { reason, lanes: [...effectLane.options] } });
  Object.assign(door.ports.github, { unsent });
  door.world.unsent = [said('/stop', timeOf(110), 906)];
  door.world.withheld = undefined;
  await look();
  expect(await door.told()).toEqual(['withheld', 'commanded', 'regained']);
});

it('the closing of an issue that its webhook told, and that `/resume` answered, is not heard again', async () => {
  await door.keep(atReview());
  door.world.issue = { state: 'closed', labels: ['loop'] };
  const at = timeOf(99.5);
  await door.deliver('issues', from(MARIA, { action: 'closed', issue: issueOf() }), at);
  await door.deliver('issue_comment', commentOf('/resume', { comment: { id: 902 } }), timeOf(99.8));
  expect(await door.loop()).toMatchObject({ status: 'waiting' });
  door.world.withheld = SUSPENDED;
  await door.deliver('installation', from(MARIA, { action: 'suspend' }), SINCE);
  door.world.withheld = undefined;
  door.world.unsent = [closing(at, 41)];
  await unsuspended();
  expect(await door.told()).toEqual(['closed', 'commanded', 'withheld', 'regained']);
  expect(await door.loop()).toMatchObject({ status: 'waiting' });
});

it('what could not be taken in at first is taken in before the loop goes on', async () => {
  await door.keep(waiting());
  door.world.unsent = [said('/stop', timeOf(110), 903)];
  const { permission } = door.ports.github;
  let asked = 0;
  Object.assign(door.ports.github, {
    permission: (...of: Parameters<typeof permission>) => {
      asked += 1;
      return asked === 1 ? Promise.reject(new UnansweredError('GitHub answered 502')) : permission(...of);
    },
  });
  await expect(look()).rejects.toThrow('502');
  expect((await door.loop())?.withheld).toBeDefined();
  await look();
  expect(await door.told()).toEqual(['commanded', 'regained']);
});

it('what was said before the loop was started is not for it', async () => {
  const startedAt = atReview().started?.at ?? '';
  await door.keep(waiting(atReview(), startedAt));
  door.world.unsent = [said('/stop', new Date(Date.parse(startedAt) - 10_000).toISOString(), 904)];
  await unsuspended();
  expect(await door.told()).toEqual(['regained']);
});

it('what was said since the suspension is heard, however late that was told', async () => {
  await door.keep(atReview());
  door.world.withheld = { ...SUSPENDED, since: timeOf(90) };
  await door.deliver('installation', from(MARIA, { action: 'suspend' }), SINCE);
  door.world.withheld = undefined;
  door.world.unsent = [said('/stop', timeOf(95), 905)];
  await unsuspended();
  expect(await door.loop()).toMatchObject({ status: 'stopped' });
});

it('a branch that is set back is heard of again in a later suspension', async () => {
  await door.keep(waiting());
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  door.world.heads[BRANCH] = one;
  await unsuspended();
  expect(await door.loop()).toMatchObject({ review: { head: one } });
  door.world.heads[BRANCH] = two;
  await door.deliver('push', from(MARIA, { ref: BRANCH, after: two }), timeOf(210));
  expect(await door.loop()).toMatchObject({ review: { head: two } });
  door.world.withheld = SUSPENDED;
  await door.deliver('installation', from(MARIA, { action: 'suspend' }), timeOf(220));
  door.world.withheld = undefined;
  door.world.heads[BRANCH] = one;
  await unsuspended();
  expect(await door.loop()).toMatchObject({ review: { head: one } });
});

it('a loop goes on of a repository that another installation has now, and of which nobody told', async () => {
  await door.keep(waiting());
  door.world.place = { installationId: 2, owner: 'acme', repo: 'shop' };
  const { unsent } = door.ports.github;
  Object.assign(door.ports.github, {
    unsent: (...[repository, of]: Parameters<typeof unsent>) =>
      repository.installationId === 1
        ? Promise.reject(new GoneError('GitHub answered 404', { status: 404 }))
        : unsent(repository, of),
  });
  await look();
  expect(await door.loop()).toMatchObject({ ref: { installationId: 2 } });
  expect((await door.loop())?.withheld).toBeUndefined();
});
