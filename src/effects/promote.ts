/** SHIP: the branch moves once, to the evidence commit on top of the verified candidate. */

import { movedUnder } from '../context/base-move.ts';
import { documentTexts } from '../documents/document-texts.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { changeOf } from './publish.ts';

/** Commits release notes and evidence (only under `.loopwright/`) as a child of the candidate and fast-forwards the branch, unless the base changed under its approval. Repeating it changes nothing. */
export async function promote(loop: Loop, ports: Ports): Promise<Event> {
  const { github, store, clock } = ports;
  const at = clock.now().toISOString();
  const ref = `refs/heads/${loop.branch}`;
  const parent = loop.candidate?.sha ?? '';
  const changes = (await documentTexts(loop, store)).map(changeOf);
  const commit = await github.commit(loop.ref, {
    ref,
    parent,
    changes,
    message: `Add release notes and evidence for #${loop.ref.issue}`,
  });
  const actual = await github.head(loop.ref, ref);
  if (actual !== commit.sha && actual !== loop.head) {
    return {
      type: 'failed',
      at,
      entry: loop.entry,
      cause: 'moved',
      reason: `The branch ${loop.branch} moved to ${actual?.slice(0, 7) ?? 'nothing'} before the candidate was promoted.`,
      calls: [],
    };
  }
  // Where the branch is there already, an earlier try has moved it.
  const moved = actual === commit.sha ? undefined : await movedUnder(loop, ports);
  if (moved !== undefined) return moved;
  await github.moveRef(loop.ref, ref, commit.sha);
  return { type: 'promoted', at, entry: loop.entry, head: commit.sha };
}
