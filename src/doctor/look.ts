/** A row of the doctor's table before it was looked: what is looked at, and how. */
import type { Finding } from './finding.ts';
import type { Patient } from './patient.ts';

export interface Look {
  readonly area: string;
  readonly subject: string;
  /** Undefined where there is nothing to look at. Throws where it could not be looked. */
  readonly look: (patient: Patient) => Promise<Finding | undefined>;
}

/** The looks of one area. */
export function looksAt(area: string, looks: Readonly<Record<string, Look['look']>>): readonly Look[] {
  return Object.entries(looks).map(([subject, look]) => ({ area, subject, look }));
}

/** `a`, `b` and `c`, as code. */
export function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}
