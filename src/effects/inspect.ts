/** SHIP: what the repository's own checks say about the promoted head. */
import { pushOf } from '../context/branch-push.ts';
import type { HeadCheck, HeadChecks } from '../github/github-port.ts';
import { cleanedMarkdown } from '../guard/model-text.ts';
import { defect } from '../loop/defect.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event, EventOf } from '../loop/event.ts';
import type { Defect } from '../loop/measurement.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { signatureOf } from './signature.ts';

/**
 * The checks' result, once all that began have ended, none has changed for the quiet time, and GitHub says whether the branch can be merged;
 * until then what is awaited.
 */
export async function inspect({ entry }: EffectOf<'inspect'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { github, clock } = ports;
  const { head, pull: number } = loop.review;
  const at = clock.now().toISOString();
  const found = await github.headChecks(loop.ref, head);
  const { checks, changedAt } = found;
  const told = { type: 'deferred', at, entry, ...(changedAt === undefined ? {} : { changedAt }) } as const;
  if (found.state === 'pending') return { ...told, waitsFor: [...found.waitsFor] };
  if (!isQuiet(found, at, loop.started.limits.checksQuietSeconds)) return { ...told, waitsFor: [] };
  const { mergeable, headSha } = await github.pull(loop.ref, number);
  if (headSha !== head) return pushOf(loop, { head: headSha, at, by: undefined }, ports);
  if (mergeable === undefined) return { ...told, waitsFor: ['whether it can be merged'] };
  return checkedEvent({ at, entry, head, checks, mergeable }, ports);
}

/** A check that has just ended may start another one: a workflow that follows a workflow, a bot that follows a status. */
function isQuiet({ changedAt }: HeadChecks, at: string, quietSeconds: number): boolean {
  return changedAt === undefined || Date.parse(at) - Date.parse(changedAt) >= quietSeconds * 1000;
}

interface Inspected {
  readonly at: string;
  readonly entry: number;
  readonly head: string;
  readonly checks: readonly HeadCheck[];
  readonly mergeable: boolean;
}

async function checkedEvent(
  { at, entry, head, checks, mergeable }: Inspected,
  { store }: Pick<Ports, 'store'>,
): Promise<EventOf<'checked'>> {
  const failed = checks.filter(({ outcome }) => outcome !== 'passed').map(defectOf);
  const defects = mergeable ? failed : [...failed, CONFLICT];
  const raw = await store.putBlob(JSON.stringify({ head, checks, mergeable }, null, 2));
  const source =
    checks.length === 0
      ? 'no checks of the repository within the quiet time'
      : `${checks.length} checks of the repository`;
  return {
    type: 'checked',
    at,
    entry,
    measurements: [{ name: 'failed_checks', value: defects.length, unit: 'count', source, raw }],
    defects,
    signature: signatureOf('ship', defects),
  };
}

const CONFLICT: Defect = defect({
  rule: 'base-conflict',
  message: 'The base branch moved and now conflicts with the candidate.',
  suggestion: 'Build the change on the current base.',
});

/** Other Apps write names and details; what people would not see of them is not told to a model either. */
function defectOf({ name, detail }: HeadCheck): Defect {
  return defect({
    rule: 'repository-check',
    about: name,
    message: cleanedMarkdown(`The repository's check "${name}" failed: ${detail}`),
  });
}
