/** Defects of VERIFY: what was not passed, as feedback for the next build. */
import type { Defect } from '../../loop/measurement.ts';

export interface DefectDraft {
  readonly rule: string;
  /** Makes the id unique within the rule. */
  readonly about: string;
  readonly message: string;
  readonly requirement?: string | undefined;
  readonly file?: string | undefined;
  readonly suggestion?: string;
}

const LONGEST_MESSAGE = 4000;

/** A blocking defect. */
export function blocker({ rule, about, message, requirement, file, suggestion }: DefectDraft): Defect {
  return {
    id: `${rule}:${about}`,
    requirement: requirement ?? null,
    file: file ?? null,
    line: null,
    rule,
    severity: 'blocker',
    message: message.slice(0, LONGEST_MESSAGE),
    suggestion: suggestion ?? null,
  };
}
