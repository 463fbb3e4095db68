/** Slots of running loops, counted in memory as adapters/database/slots.ts counts them. */
import { holdsSlot } from '../../../src/loop/slots.ts';
import { idOf, type LoopRef } from '../../../src/loop/terms.ts';
import type { AdmissionLimits } from '../../../src/ports.ts';
import type { LoopRow } from './database.ts';

const LIFT_MS = 4 * 3600_000;
const CLASSES = ['vulnerability', 'incident', 'routine'];

export function hasSlot(rows: readonly LoopRow[], ref: LoopRef, limits: AdmissionLimits): boolean {
  return isFree(
    rows.filter(({ loop }) => idOf(loop.ref) !== idOf(ref)),
    ref,
    limits,
  );
}

function isFree(rows: readonly LoopRow[], ref: LoopRef, limits: AdmissionLimits): boolean {
  const running = rows.filter(({ loop }) => holdsSlot(loop)).map(({ loop }) => loop.ref);
  return (
    running.length < limits.overall &&
    running.filter(({ installationId }) => installationId === ref.installationId).length < limits.installation &&
    running.filter(({ repositoryId }) => repositoryId === ref.repositoryId).length < limits.repository
  );
}

export function nextQueued(rows: readonly LoopRow[], limits: AdmissionLimits, at: string): LoopRow | undefined {
  const rankOf = ({ loop, queuedAt }: LoopRow): number =>
    CLASSES.indexOf(loop.priority) - Math.floor((Date.parse(at) - Date.parse(queuedAt ?? at)) / LIFT_MS);
  return rows
    .filter(({ loop }) => loop.status === 'queued' && isFree(rows, loop.ref, limits))
    .toSorted(
      (left, right) =>
        rankOf(left) - rankOf(right) ||
        Date.parse(left.queuedAt ?? at) - Date.parse(right.queuedAt ?? at) ||
        left.serial - right.serial,
    )[0];
}
