/** SHIP: the branch moves once, to the evidence commit on top of the verified candidate. */
import { groundMoved } from '../context/branch-push.ts';
import { documentTexts } from '../documents/document-texts.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { BuiltLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { changeOf } from './publish.ts';

/** Commits release notes and evidence (only under `.loopwright/`) as a child of the candidate and fast-forwards the branch, unless the ground moved. Repeating it changes nothing. */
export async function promote(effect: EffectOf<'promote'>, loop: BuiltLoop, ports: Ports): Promise<Event> {
  const { github, store, clock } = ports;
  const ref = `refs/heads/${loop.started.branch}`;
  const changes = (await documentTexts(loop, store)).map(changeOf);
  const message = `Add release notes and evidence for #${loop.ref.issue}`;
  const commit = await github.commit(loop.ref, { ref, parent: loop.built.candidate.sha, changes, message });
  // Where the branch is there already, an earlier try has moved it.
  if (commit.before !== commit.sha) {
    const moved = await groundMoved(loop, ports, commit.before);
    if (moved !== undefined) return moved;
    await github.moveRef(loop.ref, ref, commit.sha, { at: commit.before });
  }
  return { type: 'promoted', at: clock.now().toISOString(), entry: effect.entry, head: commit.sha };
}
