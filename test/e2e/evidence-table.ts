/** Evidence as a table, which reads faster than a list of objects. */
import type { EvidenceRow } from '../../src/loop/brief.ts';

/** A line for each requirement: its kind, and what its test gave on the base, on the head, without the change, and with a fault in it. */
export function evidenceTable(evidence: readonly EvidenceRow[]): readonly string[] {
  return evidence.map(({ requirement, kind, base, head, reverted, mutated, proven }) =>
    [requirement, kind, base, head, reverted, mutated, proven ? 'proven' : 'not proven'].join(' | '),
  );
}
