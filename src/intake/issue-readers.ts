/** What labels and the closing of an issue mean. Webhooks come late, twice or in another order, so the issue as it is decides. */
import { GoneError } from '../errors.ts';
import type { Loop } from '../loop/loop.ts';
import type { LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { newOrLive } from './loop-lookup.ts';
import type { Issue } from './payloads.ts';
import { isSamePlace, type Place, placeOf } from './place.ts';
import { isAtRest, ofStored, type Readers, roleOf } from './reader.ts';
import { startingFacts } from './start.ts';

const LABEL = 'loop';

export const issueReaders: Readers<'issues.labeled' | 'issues.unlabeled' | 'issues.closed'> = {
  async 'issues.labeled'(payload, { at, ports }) {
    const { issue, label, sender } = payload;
    if (label?.name !== LABEL) return [];
    const place = placeOf(payload, ports);
    const newest = await ports.store.newest(place.said.repositoryId, issue.number);
    if (newest !== undefined && isAnswered(newest.loop, issue, at)) return [];
    const ref = await newOrLive(newest, place, issue.number);
    const now = await issueNow(ref, issue.number, ports);
    if (now === undefined || !now.labels.includes(LABEL)) return [];
    const isClosed = now.state === 'closed';
    if (isClosed && newest !== undefined && !isAtRest(newest.loop)) return [];
    const facts = await startingFacts(ref, { ...issue, isClosed }, ports);
    return [{ ref, event: { type: 'labelled', at, by: sender, role: await roleOf(ref, sender, ports), ...facts } }];
  },
  async 'issues.unlabeled'(payload, { at, ports }) {
    const { issue, label, sender } = payload;
    if (label?.name !== LABEL || sender.login === ports.self) return [];
    const place = placeOf(payload, ports);
    return ofStored(await liveOf(place, issue, ports), place, async (ref) => {
      const now = await issueNow(ref, issue.number, ports);
      if (now?.labels.includes(LABEL)) return undefined;
      return { type: 'unlabelled', at, by: sender, role: await roleOf(ref, sender, ports) };
    });
  },
  async 'issues.closed'(payload, { at, ports }) {
    const { issue, sender } = payload;
    const place = placeOf(payload, ports);
    return ofStored(await liveOf(place, issue, ports), place, async (ref) => {
      const now = await issueNow(ref, issue.number, ports);
      if (now?.state === 'open') return undefined;
      return { type: 'closed', at, by: sender, role: await roleOf(ref, sender, ports) };
    });
  },
};

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

async function liveOf({ said }: Place, { number }: Issue, { store }: Ports) {
  const newest = await store.newest(said.repositoryId, number);
  return newest === undefined || isAtRest(newest.loop) ? undefined : newest;
}

/** Whether the label was set before a loop began that has ended since: then that loop was the answer to it, however late it is told. */
function isAnswered(newest: Loop, { updated_at: setAt }: Issue, at: string): boolean {
  if (newest.status !== 'succeeded' && newest.status !== 'stopped') return false;
  const startedMs = Date.parse(newest.started?.at ?? '');
  return Date.parse(at) <= startedMs || (setAt !== undefined && Date.parse(setAt) < startedMs);
}
