/** The number of secrets and risky lines that a change adds. */
import { scanDiff } from '../../guard/scan.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { type JobEnvironment, measured } from '../sandbox/environment.ts';

/** One number, or none when it could not be measured, and what is wrong. */
export interface Reading {
  readonly measurement: Measurement | undefined;
  readonly defects: readonly Defect[];
}

/** Scans the added lines. The stored output has the findings and not the lines, so that a secret is not stored twice. */
export async function securityReading(environment: JobEnvironment, diff: string): Promise<Reading> {
  const defects = scanDiff(diff);
  const measurement = await measured(environment, {
    name: 'security_findings',
    value: defects.length,
    unit: 'count',
    source: 'secret and rule findings on added lines',
    output: JSON.stringify(defects, null, 1),
  });
  return { measurement, defects };
}
