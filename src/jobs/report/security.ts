/** The number of secrets and risky lines that a change adds. */
import { addedLinesOf } from '../../guard/added-lines.ts';
import { judgeFindings, liftedNote } from '../../guard/waivers.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { scanChange } from '../../rules/scan-change.ts';
import { type Bench, measured } from '../workspace/environment.ts';

/** One number, or none when it could not be measured, and what is wrong. */
export interface Reading {
  readonly measurement: Measurement | undefined;
  readonly defects: readonly Defect[];
}

/** The change as a diff, and its files as they are afterwards. */
export interface Scanned {
  readonly diff: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Scans what is added. The stored output has the findings and not the lines, so that a secret is not stored twice. */
export async function securityReading({ brief, environment }: Bench, { diff, texts }: Scanned): Promise<Reading> {
  const { defects: found, byLines } = scanChange(await environment.parsers(), addedLinesOf(diff), texts);
  const { standing: defects, lifted } = judgeFindings(found, brief.waivers);
  const measurement = await measured(environment, {
    name: 'security_findings',
    value: defects.length,
    unit: 'count',
    source: `secret and rule findings on added lines${byLinesNote(byLines)}${liftedNote(lifted)}`,
    output: JSON.stringify({ findings: defects, waived: lifted, readByLines: byLines }, null, 1),
  });
  return { measurement, defects };
}

const MOST_NAMED = 5;

/** Files that the rules could not read as a whole; empty when there are none. */
export function byLinesNote(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  return `; read by lines too, because the syntax could not be read: ${files.slice(0, MOST_NAMED).join(', ')}${more}`;
}
