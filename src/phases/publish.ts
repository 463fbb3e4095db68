/** ARCH_REVIEW: one packet commit, one draft pull request, one packet comment. */
import { digestOfValue } from '../guard/digest.ts';
import type { FileChange } from '../loop/brief.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { pullBody, pullTitle } from '../render/board.ts';
import { packetComment } from '../render/packet.ts';
import { type DocumentText, documentTexts } from './document-texts.ts';
import { mentioning } from './show.ts';

/** Commits the documents onto the loop branch and asks for approval of exactly that. Repeating it changes nothing. */
export async function publish(loop: Loop, ports: Ports): Promise<Event> {
  const { github, modelFacts } = ports;
  const documents = await documentTexts(loop, ports.store);
  const head = await commitPacket(loop, documents, ports);
  const pull = await github.openPull(loop.ref, {
    branch: loop.branch,
    base: loop.base?.branch ?? '',
    title: pullTitle(loop),
    body: pullBody(loop, modelFacts),
  });
  const digest = packetDigest(loop);
  const body = packetComment({ ...loop, pull: pull.number, packetDigest: digest }, documents, modelFacts);
  const { writtenAt } = await github.comment(loop.ref, pull.number, {
    marker: `packet/${loop.ref.n}/${loop.entry}`,
    body,
    ...mentioning(loop.startedBy),
  });
  return {
    type: 'published',
    // By GitHub's clock, as the comments that answer it: the App may learn of it much later.
    at: writtenAt,
    entry: loop.entry,
    head,
    pull: pull.number,
    pullNodeId: pull.nodeId,
    digest,
    usd: loop.limits.usd,
  };
}

/** Commits on the branch's head, so that a person's newer commit wins, and the packet goes on top of it. */
async function commitPacket(loop: Loop, documents: readonly DocumentText[], { github }: Ports): Promise<string> {
  // A packet that is renewed with another budget has its documents on the branch already.
  if (loop.packetEntry === loop.entry && loop.head !== undefined) return loop.head;
  const ref = `refs/heads/${loop.branch}`;
  const changes = documents.map(changeOf);
  const message = `Propose the packet for #${loop.ref.issue}, review round ${loop.counters.rounds}`;
  const parent = (await github.head(loop.ref, ref)) ?? loop.head ?? loop.base?.sha ?? '';
  const { sha } = await github.commit(loop.ref, { ref, parent, changes, message });
  await github.moveRef(loop.ref, ref, sha);
  return sha;
}

/** What an approval is bound to: the documents, the base as read, the configuration, the budget. */
export function packetDigest(loop: Loop): string {
  return digestOfValue({
    documents: loop.documents.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    base: loop.base?.sha ?? '',
    config: loop.configDigest ?? '',
    usd: loop.limits.usd,
    // A packet that comes back unchanged after a rejection is another one: no button of the old one approves it.
    round: loop.counters.rounds,
  });
}

export function changeOf({ path, text }: DocumentText): FileChange {
  return { path, mode: '100644', content: Buffer.from(text, 'utf8').toString('base64') };
}
