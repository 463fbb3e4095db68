/** What people do when they are asked: sooner or later they answer, approve, release, resume or grant another try. */
import type { Loop } from '../../../src/loop/loop.ts';
import { isStarted } from '../../../src/loop/stages.ts';
import { type Crowd, label, press, pullOf, review, say } from './crowd.ts';

/** Looks at one loop and perhaps does what it waits for. */
export function tend(crowd: Crowd, loop: Loop): void {
  const { hub, people } = crowd;
  const { random } = hub;
  const place = loop.review?.pull ?? loop.ref.issue;
  if (loop.status === 'paused') {
    const isUnpaid = loop.pausedFor === 'budget' && random.chance(0.8);
    if (random.chance(0.6)) say(crowd, place, people.maria, isUnpaid ? '/budget +5' : '/resume');
    return;
  }
  if (loop.status === 'stopped') {
    const isTriedAgain = loop.counters.grants < 2 && random.chance(hub.calm ? 0.1 : 0.3);
    if (isTriedAgain) say(crowd, place, people.otto, '/rerun');
    return;
  }
  if (loop.status === 'succeeded') {
    sendBack(crowd, loop);
    return;
  }
  switch (loop.waitingFor) {
    case 'answers':
      say(crowd, loop.ref.issue, people.maria, random.pick(['/auto', '/answer 1a', '/answer 1: an empty list']));
      return;
    case 'approval':
      decide(crowd, loop);
      return;
    case 'release':
      say(crowd, place, people.otto, '/release');
      return;
    case undefined:
  }
}

/** Somebody reads the finished pull request, and wants something different. */
function sendBack(crowd: Crowd, loop: Loop): void {
  const { hub, people } = crowd;
  const { random } = hub;
  const pull = isStarted(loop) ? pullOf(crowd, loop) : undefined;
  if (hub.calm || pull === undefined || pull.draft || !random.chance(hub.odds.rejects * 0.3)) return;
  const at = (file: string, line: number, body: string) => ({ file, line, body });
  random.pick([
    () => void say(crowd, pull.number, people.maria, '/reject R-1: the order is wrong'),
    () => void say(crowd, pull.number, people.otto, random.pick(['/reject plan: do less', '/reject spec: say more'])),
    () => void say(crowd, pull.number, people.maria, random.pick(['/rerun', '/rerun BUILD', '/rerun PLAN'])),
    () =>
      review(crowd, pull, people.otto, {
        state: 'changes_requested',
        body: random.pick(['', 'Two things.']),
        comments: [at('src/items.js', 3, 'Name it better.'), at('src/server.js', 1, 'Close it too.')],
      }),
  ])();
}

function decide(crowd: Crowd, loop: Loop): void {
  const { hub, people } = crowd;
  const place = loop.review?.pull ?? loop.ref.issue;
  if (!hub.calm && hub.random.chance(hub.odds.rejects)) {
    say(crowd, place, people.otto, hub.random.pick(['/reject R-1 is not clear', '/reject plan: do less']));
    // Somebody else has read the same packet, and does not know of it.
    if (hub.random.chance(hub.odds.disagrees)) say(crowd, place, people.maria, '/approve');
    return;
  }
  const pull = isStarted(loop) ? pullOf(crowd, loop) : undefined;
  if (pull !== undefined && hub.random.chance(0.4)) press(crowd, pull, people.maria, 'approve');
  else say(crowd, place, people.maria, '/approve');
}

/** Labels an issue that has no loop yet. */
export function begin(crowd: Crowd, number: number): void {
  const issue = crowd.hub.issues.get(number);
  if (issue !== undefined) label(crowd, issue, crowd.people.maria);
}
