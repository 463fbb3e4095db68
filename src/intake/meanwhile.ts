/** What was said and done while GitHub told the App nothing: it is asked for, and taken in as if its webhooks had come, before the loop goes on. */
import type { UnsentWebhook } from '../github/github-port.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { awaitsMerge } from '../loop/people/handed-over.ts';
import { idOf } from '../loop/terms.ts';
import type { Delivery, Ports } from '../ports.ts';
import { deliveryOf } from './reduce.ts';

/** GitHub tells that the App may not work a moment after it is so. */
const MARGIN_MS = 60_000;
/** Where a branch is told to be when only that it may have moved is known: no commit has this id. */
const UNKNOWN = '0'.repeat(40);

/** @throws {LoopError} where GitHub does not tell; what was heard by then is not taken in again. */
export async function hearMeanwhile(
  loop: Loop,
  ports: Ports,
  takeIn: (delivery: Delivery) => Promise<void>,
): Promise<void> {
  for (const delivery of await unsentOf(loop, ports)) {
    const unread = await unreadOf(delivery, ports);
    if (unread !== undefined) await takeIn(unread);
  }
}

/** What is new, and what was stored before and is not taken in: it failed then, or another process is at it. */
async function unreadOf(delivery: Delivery, { store }: Pick<Ports, 'store'>): Promise<Delivery | undefined> {
  if (delivery.repositoryId === undefined) return undefined;
  if (await store.receive(delivery)) return delivery;
  const stored = await store.delivery(delivery.id);
  return stored?.payload === undefined ? undefined : stored;
}

async function unsentOf(loop: Loop, ports: Ports): Promise<readonly Delivery[]> {
  const { ref, started, review } = loop;
  const { github, store, clock, self } = ports;
  const untold = untoldSince(loop);
  if (untold === undefined) return [];
  // What was said on the issue before was said to another loop. GitHub tells times in whole seconds.
  const fromMs = Math.max(Date.parse(untold) - MARGIN_MS, Date.parse(started?.at ?? untold));
  const since = new Date(fromMs - (fromMs % 1000)).toISOString();
  const read = await github.unsent(ref, { issue: ref.issue, pull: review?.pull, since });
  const log = await store.log(idOf(ref));
  const said = read.filter((one) => !isLogged(one, log));
  const unsent = [...said, ...(await pushesTo(loop, untold, ports))];
  const receivedAt = clock.now().toISOString();
  const { installationId, repositoryId, owner, repo } = ref;
  const where = {
    installation: { id: installationId },
    repository: { id: repositoryId, name: repo, owner: { login: owner } },
  };
  return unsent.map(({ id, name, payload }) =>
    deliveryOf({ id: `meanwhile/${repositoryId}/${id}`, name, payload: { ...payload, ...where }, receivedAt }, self),
  );
}

/** A loop that has ended does not note when it was told nothing: then since its pull request became ready. What was told after all means nothing new. */
function untoldSince(loop: Loop): string | undefined {
  return loop.withheld?.since ?? (awaitsMerge(loop) ? loop.shipping?.promotedAt : undefined);
}

/** What has no id of its own in its webhook, and as what the log has it. */
const LOGGED_AS: Readonly<Record<string, Event['type']>> = {
  'issues.closed': 'closed',
  'issues.unlabeled': 'unlabelled',
  'pull_request.closed': 'ended',
};

/** Whether its webhook did come: then it is answered, and `/resume` may have been said since. */
function isLogged({ name, at, payload }: UnsentWebhook, log: Awaited<ReturnType<Ports['store']['log']>>): boolean {
  const type = LOGGED_AS[`${name}.${payload.action}`];
  return log.some(({ event }) => event !== undefined && event.type === type && Date.parse(event.at) >= Date.parse(at));
}

/** The branches that matter to the loop, where they are elsewhere than it knows; who moved them nobody tells. One may come back to where it was before. */
async function pushesTo(
  { ref, started, review, status }: Loop,
  since: string,
  { github }: Pick<Ports, 'github'>,
): Promise<readonly Pick<UnsentWebhook, 'id' | 'name' | 'payload'>[]> {
  if (started === undefined) return [];
  const known = [
    { branch: started.base.branch, at: started.base.sha },
    ...(review === undefined || status === 'succeeded' ? [] : [{ branch: started.branch, at: review.head }]),
  ];
  const pushes = [];
  for (const { branch, at } of known) {
    const full = `refs/heads/${branch}`;
    const head = (await github.head(ref, full)) ?? 'gone';
    const payload = { ref: full, after: UNKNOWN, sender: null };
    if (head !== at) pushes.push({ id: `${branch}/${head}/${since}`, name: 'push', payload });
  }
  return pushes;
}
