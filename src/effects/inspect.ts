/** SHIP: what the repository's own checks say about the promoted head. */
import type { HeadCheck } from '../github/github-port.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Ports } from '../ports.ts';
import { signatureOf } from './signature.ts';

/** The checks' result, or undefined while they run or may still appear. None within the quiet time counts as none. */
export async function inspect(loop: Loop, ports: Ports): Promise<Event | undefined> {
  const { github, clock, store } = ports;
  const now = clock.now();
  const { state, checks } = await github.headChecks(loop.ref, loop.head ?? '');
  if (state === 'pending') return undefined;
  const pull = await github.pull(loop.ref, loop.pull ?? 0);
  const quietMs = now.getTime() - Date.parse(loop.promotedAt ?? now.toISOString());
  if (checks.length === 0 && quietMs < loop.limits.checksQuietSeconds * 1000) return undefined;
  const defects = [
    ...checks.filter(({ outcome }) => outcome !== 'passed').map(defectOf),
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

const CONFLICT: Defect = {
  id: 'conflict',
  requirement: null,
  file: null,
  line: null,
  rule: 'base-conflict',
  severity: 'blocker',
  message: 'The base branch moved and now conflicts with the candidate.',
  suggestion: 'Build the change on the current base.',
};

function defectOf({ name, detail }: HeadCheck): Defect {
  return {
    id: `check-${name}`,
    requirement: null,
    file: null,
    line: null,
    rule: 'repository-check',
    severity: 'blocker',
    message: `The repository's check "${name}" failed: ${detail}`.slice(0, 4000),
    suggestion: null,
  };
}
