/** SHIP: what the repository's own checks say about the promoted head. */
import { defect } from '../loop/defect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Ports } from '../ports.ts';
import { signatureOf } from './signature.ts';

type ForeignCheck = Awaited<ReturnType<Ports['github']['foreignChecks']>>[number];

/** The checks' result, or undefined while they run or may still appear. None within the quiet time counts as none. */
export async function inspect(loop: Loop, ports: Ports): Promise<Event | undefined> {
  const { github, clock, store } = ports;
  const now = clock.now();
  const checks = await github.foreignChecks(loop.ref, loop.head ?? '');
  const pull = await github.pull(loop.ref, loop.pull ?? 0);
  const quietMs = now.getTime() - Date.parse(loop.promotedAt ?? now.toISOString());
  if (checks.some(({ status }) => status === 'pending')) return undefined;
  if (checks.length === 0 && quietMs < loop.limits.checksQuietSeconds * 1000) return undefined;
  const defects = [
    ...checks.filter(({ status }) => status === 'failed').map(defectOf),
    ...(pull.mergeable === false ? [CONFLICT] : []),
  ];
  const raw = await store.putBlob(
    JSON.stringify({ head: loop.head, checks, mergeable: pull.mergeable ?? 'unknown', quietMs }, null, 2),
  );
  const source =
    checks.length === 0
      ? 'no checks of the repository within the quiet time'
      : `${checks.length} checks of the repository`;
  return {
    type: 'checked',
    at: now.toISOString(),
    entry: loop.entry,
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
