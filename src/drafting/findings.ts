/** What the critic of a plan found: which of it sends the work back, and to whom. Pure. */
import type { Analysis } from '../documents/documents.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

type Finding = Analysis['findings'][number];

/** The others stand in the packet, before the people who approve. */
const SENDS_BACK: Readonly<Partial<Record<Finding['severity'], Defect['severity']>>> = {
  critical: 'blocker',
  high: 'major',
};

/** The findings that only this document can mend and that send it back. */
export function gravest({ findings }: Analysis, cause: Finding['cause']): readonly Finding[] {
  return findings.filter((finding) => finding.cause === cause && SENDS_BACK[finding.severity] !== undefined);
}

/** One defect per finding that sends the work back, those of the specification first. */
export function findingDefects(analysis: Analysis): readonly Defect[] {
  return (['spec', 'plan'] as const).flatMap((cause) =>
    gravest(analysis, cause).map(({ severity, where, finding, action }, index) =>
      defect({
        rule: `${cause}/finding`,
        about: String(index + 1),
        severity: SENDS_BACK[severity] ?? 'major',
        message: `${where}: ${finding}`,
        suggestion: action,
      }),
    ),
  );
}
