/** SHIP: what the repository's own checks say about the promoted head. */
import { defect } from '../loop/defect.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Defect } from '../loop/measurement.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { signatureOf } from './signature.ts';

type ForeignCheck = Awaited<ReturnType<Ports['github']['foreignChecks']>>[number];

/** The checks' result, or what is still awaited: a check that is not done, or GitHub's word on whether the branch can be merged. */
export async function inspect({ entry }: EffectOf<'inspect'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { github, clock, store } = ports;
  const { head, pull: number } = loop.review;
  const at = clock.now().toISOString();
  const checks = await github.foreignChecks(loop.ref, head);
  const pending = checks.filter(({ status }) => status === 'pending').map(({ name }) => name);
  if (pending.length > 0) return { type: 'deferred', at, entry, waitsFor: pending };
  const { mergeable } = await github.pull(loop.ref, number);
  if (mergeable === undefined) return { type: 'deferred', at, entry, waitsFor: ['whether it can be merged'] };
  const defects = [
    ...checks.filter(({ status }) => status === 'failed').map(defectOf),
    ...(mergeable ? [] : [CONFLICT]),
  ];
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

function defectOf({ name, detail }: ForeignCheck): Defect {
  return defect({
    rule: 'repository-check',
    about: name,
    message: `The repository's check "${name}" failed: ${detail}`,
  });
}
