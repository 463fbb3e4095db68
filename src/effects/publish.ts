/** ARCH_REVIEW: one packet commit, one draft pull request, one packet comment. */

import { movedUnder, newerBaseIn } from '../context/base-move.ts';
import { type DocumentText, documentTexts } from '../documents/document-texts.ts';
import { hiddenInIssue } from '../drafting/material.ts';
import { SecretError, WithheldError, WriteRefusedError } from '../errors.ts';
import { digestOfValue } from '../guard/digest.ts';
import { listed } from '../loop/behind.ts';
import type { FileChange } from '../loop/brief.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import { onBase } from '../loop/walk.ts';
import type { Ports } from '../ports.ts';
import { pullBody, pullTitle } from '../render/board.ts';
import { packetComment } from '../render/packet.ts';
import { mentioning } from './mention.ts';

/** Commits the documents onto the loop branch and asks for approval of exactly that. Repeating it changes nothing. */
export async function publish(_effect: EffectOf<'publish'>, unbound: StartedLoop, ports: Ports): Promise<Event> {
  const { github, modelFacts, clock, store } = ports;
  const moved = await movedUnder(unbound, ports);
  if (moved !== undefined) return moved;
  const documents = await documentTexts(unbound, ports.store);
  const packet = await commitPacket(unbound, documents, ports);
  const at = clock.now().toISOString();
  if ('reason' in packet) return { type: 'failed', at, entry: unbound.entry, cause: 'conflict', ...packet, calls: [] };
  const { head, base } = packet;
  const loop = onBase(unbound, base);
  const pull = await github.openPull(loop.ref, {
    branch: loop.started.branch,
    base: loop.started.base.branch,
    title: pullTitle(loop),
    body: pullBody(loop, modelFacts),
    isNew: await store.begins(idOf(loop.ref), 'pull'),
  });
  const digest = packetDigest(loop);
  const body = packetComment(loop, { digest, documents, hidden: hiddenInIssue(loop) }, modelFacts);
  const marker = `packet/${loop.ref.n}/${loop.entry}`;
  const { id: commentId, writtenAt } = await github.comment(loop.ref, pull.number, {
    marker,
    body,
    isNew: await store.begins(idOf(loop.ref), marker),
    ...mentioning(loop.started.by),
  });
  return {
    type: 'published',
    // By GitHub's clock, as the comments that answer it: the App may learn of it much later.
    at: writtenAt,
    entry: loop.entry,
    head,
    base,
    pull: pull.number,
    pullNodeId: pull.nodeId,
    commentId,
    digest,
    usd: loop.started.limits.usd,
  };
}

interface Packet {
  readonly head: string;
  /** The newest commit of the base branch that the packet holds. */
  readonly base: string;
}

/** Commits on the branch's head, so that a person's newer commit wins, and the packet goes on top of it; a base that the branch lacks is merged. */
async function commitPacket(
  loop: StartedLoop,
  documents: readonly DocumentText[],
  ports: Ports,
): Promise<Packet | { readonly reason: string }> {
  const { github } = ports;
  const base = loop.started.base.sha;
  // A packet that is renewed with another budget has its documents on the branch already.
  if (loop.review?.packet.entry === loop.entry) return { head: loop.review.head, base };
  const ref = `refs/heads/${loop.started.branch}`;
  const changes = documents.map(changeOf);
  const message = `Propose the packet for #${loop.ref.issue}, review round ${loop.counters.rounds}`;
  const at = await github.head(loop.ref, ref);
  const parent = at ?? loop.review?.head ?? base;
  const merge = await mergeInto(loop, parent, ports);
  if (merge !== undefined && 'conflicts' in merge)
    return mergedByPeople(
      loop,
      `The base ${loop.started.base.branch} conflicts with ${loop.started.branch} in ${listed(merge.conflicts)}`,
    );
  try {
    const { sha } = await github.commit(loop.ref, { ref, parent, changes, message, merge, known: { at } });
    await github.moveRef(loop.ref, ref, sha, { at });
    return { head: sha, base: (await newerBaseIn(loop, parent, ports)) ?? base };
  } catch (error) {
    const because = merge === undefined ? undefined : await refusedMerge(error, loop, ports);
    if (because === undefined) throw error;
    return mergedByPeople(loop, because);
  }
}

/** A merge may hold what only people may write: workflow files that changed on the base. Undefined where that is not it: what the App may not do at all for now waits for it. */
export async function refusedMerge(
  error: unknown,
  { ref }: Pick<StartedLoop, 'ref'>,
  { github }: Pick<Ports, 'github'>,
): Promise<string | undefined> {
  if (error instanceof SecretError || !(error instanceof WriteRefusedError)) return undefined;
  const isWithheld = error instanceof WithheldError && (await github.withheld(ref)) !== undefined;
  return isWithheld ? undefined : error.message.replace(/\.$/, '');
}

/** What brings the loop's base into the branch; undefined where it is there. */
export async function mergeInto(
  loop: StartedLoop,
  parent: string,
  { workspace }: Ports,
): Promise<Awaited<ReturnType<Ports['workspace']['merge']>> | undefined> {
  const { sha } = loop.started.base;
  if (parent === sha || (await workspace.mergeBase(loop.ref, parent, sha)) === sha) return undefined;
  return workspace.merge(loop.ref, parent, sha);
}

function mergedByPeople(loop: StartedLoop, because: string): { readonly reason: string } {
  return {
    reason: `${because}; merge ${loop.started.base.branch} into ${loop.started.branch} and say \`/rerun PLAN\`.`,
  };
}

/** What an approval is bound to: the documents, the base as read, the configuration, the budget. */
export function packetDigest(loop: StartedLoop): string {
  return digestOfValue({
    documents: loop.documents.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    base: loop.started.base.sha,
    config: loop.started.config.digest,
    usd: loop.started.limits.usd,
    // A packet that comes back unchanged after a rejection is another one: no button of the old one approves it.
    round: loop.counters.rounds,
  });
}

export function changeOf({ path, text }: DocumentText): FileChange {
  return { path, mode: '100644', content: Buffer.from(text, 'utf8').toString('base64') };
}
