/** Tells whether a failure came before, for the stall rule. Pure. */
import { digestOf } from '../guard/digest.ts';
import type { Report } from '../loop/brief.ts';
import { FROZEN_TEST } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

/** What differs between two runs of the same failure: how long it took, on which port, and when. */
const PASSING: readonly RegExp[] = [
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z?/g,
  /(?<=\bduration_ms )\d+(?:\.\d+)?/g,
  /\b\d+(?:\.\d+)? ?m?s\b/g,
  /(?<=127\.0\.0\.1:)\d+/g,
];

/** The same failure gives the same text; empty when nothing failed. What was tried on frozen tests made nothing fail. */
export function signatureOf(kind: Report['kind'] | 'ship', defects: readonly Defect[]): string {
  const causes = defects.filter(({ rule }) => rule !== FROZEN_TEST);
  if (causes.length === 0) return '';
  const lines = causes.map(({ rule, requirement, message }) => `${rule} ${requirement} ${lasting(message)}`);
  return `${kind} ${digestOf(lines.toSorted().join('\n'))}`;
}

function lasting(message: string): string {
  return PASSING.reduce((text, passing) => text.replaceAll(passing, '…'), message);
}
