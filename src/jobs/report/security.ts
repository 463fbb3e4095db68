/** The number of secrets and risky lines that a change adds. */
import { scanDiff } from '../../guard/scan.ts';
import { judgeFindings, liftedNote } from '../../guard/waivers.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { type Bench, measured } from '../workspace/environment.ts';

/** One number, or none when it could not be measured, and what is wrong. */
export interface Reading {
  readonly measurement: Measurement | undefined;
  readonly defects: readonly Defect[];
}

/** Scans the added lines. The stored output has the findings and not the lines, so that a secret is not stored twice. */
export async function securityReading({ brief, environment }: Bench, diff: string): Promise<Reading> {
  const { standing: defects, lifted } = judgeFindings(scanDiff(diff), brief.waivers);
  const measurement = await measured(environment, {
    name: 'security_findings',
    value: defects.length,
    unit: 'count',
    source: `secret and rule findings on added lines${liftedNote(lifted)}`,
    output: JSON.stringify({ findings: defects, waived: lifted }, null, 1),
  });
  return { measurement, defects };
}
