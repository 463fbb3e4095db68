/** What workflow runs mean: the end of one that a loop waits for, checks of others, and runs of ours that no loop knows. */
import { readRunTitle } from '../github/run-title.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { heard } from './check-readers.ts';
import type { PayloadOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { type Meaning, ofStored, type Reader, type Readers } from './reader.ts';

type RunName = 'workflow_run.requested' | 'workflow_run.in_progress' | 'workflow_run.completed';

/** A run that has begun and that no loop waits for, although its title names one: told to that loop, which knows whether it is about to. */
const begun: Reader<'workflow_run.requested' | 'workflow_run.in_progress'> = async (payload, { at, ports }) => {
  const { repository, workflow_run } = payload;
  const { id: runId, display_title: title } = workflow_run;
  const named = isOwnRun(payload, ports.self) ? readRunTitle(title ?? '') : undefined;
  if (named === undefined || (await ports.store.byRun(repository.id, runId)) !== undefined) return [];
  const stored = await ports.store.load(`${repository.id}/${named.issue}/${named.n}`);
  const { entry } = named;
  return ofStored(stored, placeOf(payload, ports), async () => ({ type: 'surfaced', at, runId, entry }));
};

export const runReaders: Readers<RunName> = {
  'workflow_run.requested': begun,
  'workflow_run.in_progress': begun,
  async 'workflow_run.completed'(payload, taking): Promise<readonly Meaning[]> {
    const { at, ports } = taking;
    const { id: runId, conclusion, head_sha } = payload.workflow_run;
    const stored = await ports.store.byRun(payload.repository.id, runId);
    const completed = { type: 'completed', at, runId, conclusion: conclusion ?? 'unknown' } as const;
    if (stored !== undefined) return ofStored(stored, placeOf(payload, ports), async () => completed);
    // A run of ours that no loop waits for has ended, so nothing is left to cancel.
    return isOwnRun(payload, ports.self) ? [] : heard(payload, head_sha, taking);
  },
};

/** Whether the App started the run, of one of its own workflows. GitHub may add the ref to the path: `.github/workflows/x.yml@main`. */
export function isOwnRun({ workflow_run }: Pick<PayloadOf<RunName>, 'workflow_run'>, self: string): boolean {
  const { path, event, triggering_actor } = workflow_run;
  const [file = ''] = (path ?? '').split('@', 1);
  const isOurs = Object.values(WORKFLOWS).some((name) => file === `.github/workflows/${name}`);
  return isOurs && event === 'workflow_dispatch' && triggering_actor.login === self;
}
