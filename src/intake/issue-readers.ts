/** What labels, and the closing or loss of an issue, mean. Webhooks come late, twice or in another order, so the issue as it is decides. */
import { startingFacts } from '../context/start.ts';
import { askForClosed } from '../engine/onboardings.ts';
import { GoneError } from '../errors.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { newOrLive } from './loop-lookup.ts';
import type { Issue, PayloadOf } from './payloads.ts';
import { isSamePlace, placeOf } from './place.ts';
import {
  afterAMoment,
  isAtRest,
  type Meaning,
  ofStored,
  type Readers,
  roleOf,
  type Taking,
  whileNew,
} from './reader.ts';

const LABEL = 'loop';

/** GitHub has one label of a name, whatever its letters: in a repository with `Loop` nobody can make ours. */
export function isOurLabel(name: string | undefined): boolean {
  return name?.toLowerCase() === LABEL;
}

export const issueReaders: Readers<
  'issues.labeled' | 'issues.unlabeled' | 'issues.closed' | 'issues.deleted' | 'issues.transferred'
> = {
  async 'issues.labeled'(payload, taking) {
    const { issue, label, sender } = payload;
    const { at, ports } = taking;
    if (!isOurLabel(label?.name)) return [];
    const place = placeOf(payload, ports);
    const newest = await ports.store.newest(place.said.repositoryId, issue.number);
    if (newest !== undefined && isAnswered(newest.loop, issue, at)) return [];
    const ref = await newOrLive(newest, place, issue.number);
    const now = await issueNow(ref, issue.number, ports);
    if (now === undefined || !now.labels.some(isOurLabel)) {
      afterAMoment(`GitHub says that #${issue.number} has no label \`${LABEL}\``, taking);
      return [];
    }
    const isClosed = now.state === 'closed';
    if (isClosed && newest !== undefined && !isAtRest(newest.loop)) return [];
    // Who labels wants loops here: the set-up that somebody closed is looked at once more.
    await askForClosed(ref.repositoryId, `setup labelled/${issue.number}/${at}`, ports);
    // Its verdict is told a little before it is noted.
    const stage = (await ports.store.onboarding(ref.repositoryId))?.onboarding.stage;
    if (stage === 'trying' || stage === 'asked') whileNew('the base is being looked at', taking);
    const facts = await startingFacts(ref, { ...issue, isClosed }, ports);
    const set = issue.updated_at === undefined ? {} : { setAt: issue.updated_at };
    const role = await roleOf(ref, sender, ports);
    return [{ ref, event: { type: 'labelled', at, by: sender, role, ...set, ...facts } }];
  },
  async 'issues.unlabeled'(payload, taking) {
    const { label, sender } = payload;
    if (!isOurLabel(label?.name) || sender.login === taking.ports.self) return [];
    return undone('unlabelled', payload, taking);
  },
  'issues.closed': (payload, taking) => undone('closed', payload, taking),
  'issues.deleted': (payload, taking) => gone('issue deleted', payload, taking),
  'issues.transferred': (payload, taking) => gone('issue moved to another repository', payload, taking),
};

/** A loop without a pull request has nowhere left where people could say anything to it, so it ends; any other goes on there. */
async function gone(
  how: Extract<Event, { type: 'ended' }>['how'],
  payload: PayloadOf<'issues.deleted' | 'issues.transferred'>,
  taking: Taking,
): Promise<readonly Meaning[]> {
  const { at, ports } = taking;
  const { issue, sender } = payload;
  return ofLive(payload, taking, async (ref, { review }) => {
    if (review !== undefined) return undefined;
    if ((await issueNow(ref, issue.number, ports)) === undefined) return { type: 'ended', at, by: sender, how };
    afterAMoment(`GitHub still has #${issue.number}`, taking);
    return undefined;
  });
}

/** Whether what is said to have been undone is there (again). */
const STANDS: Readonly<Record<'unlabelled' | 'closed', (now: IssueState) => string | undefined>> = {
  unlabelled: ({ labels }) => (labels.some(isOurLabel) ? `has the label \`${LABEL}\`` : undefined),
  closed: ({ state }) => (state === 'open' ? 'is open' : undefined),
};

/** Told to a loop that is live, unless it was taken back since. An issue that is gone has neither the label nor is it open. */
async function undone(
  type: 'unlabelled' | 'closed',
  payload: PayloadOf<'issues.unlabeled' | 'issues.closed'>,
  taking: Taking,
): Promise<readonly Meaning[]> {
  const { at, ports } = taking;
  const { issue, sender } = payload;
  return ofLive(payload, taking, async (ref) => {
    const now = await issueNow(ref, issue.number, ports);
    const stands = now === undefined ? undefined : STANDS[type](now);
    if (stands === undefined) return { type, at, by: sender, role: await roleOf(ref, sender, ports) };
    afterAMoment(`GitHub says that #${issue.number} ${stands}`, taking);
    return undefined;
  });
}

/** What a webhook about an issue means to its loop, where one is live. */
async function ofLive(
  payload: PayloadOf<'issues.unlabeled' | 'issues.closed' | 'issues.deleted' | 'issues.transferred'>,
  { ports }: Taking,
  meaning: (ref: LoopRef, loop: Loop) => Promise<Event | undefined>,
): Promise<readonly Meaning[]> {
  const place = placeOf(payload, ports);
  const newest = await ports.store.newest(place.said.repositoryId, payload.issue.number);
  if (newest === undefined || isAtRest(newest.loop)) return [];
  return ofStored(newest, place, (ref) => meaning(ref, newest.loop));
}

/** The issue as it is; undefined when it was deleted or is in another repository now. @throws {GoneError} when its repository is not there. */
async function issueNow(ref: LoopRef, number: number, { github }: Ports): Promise<IssueState | undefined> {
  try {
    return await github.issueState(ref, number);
  } catch (error) {
    if (!(error instanceof GoneError)) throw error;
    const here = await github.locate(ref);
    if (here === undefined || !isSamePlace(here, ref)) throw error;
    return undefined;
  }
}

type IssueState = Awaited<ReturnType<Ports['github']['issueState']>>;

/** Whether the label was set before a loop began that has ended since: then that loop was the answer to it, however late it is told. */
function isAnswered(newest: Loop, { updated_at: setAt }: Issue, at: string): boolean {
  if (newest.status !== 'succeeded' && newest.status !== 'stopped') return false;
  const startedMs = Date.parse(newest.started?.at ?? '');
  return Date.parse(at) <= startedMs || (setAt !== undefined && Date.parse(setAt) < startedMs);
}
