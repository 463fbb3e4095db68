/** The one maker of defects: every check says what is wrong through it. Pure. */
import type { Defect } from './measurement.ts';

/** What a check found; what most do not need may be left out. */
export interface DefectDraft {
  /** The check that found it. */
  readonly rule: string;
  /** Makes the id unique within the rule; left out where the rule finds one thing only. */
  readonly about?: string;
  readonly message: string;
  readonly requirement?: string | null | undefined;
  readonly file?: string | null | undefined;
  readonly line?: number | null | undefined;
  /** `blocker` when left out. */
  readonly severity?: Defect['severity'];
  readonly suggestion?: string | null | undefined;
}

/** The rule of an existing test that contradicts what was asked: only a plan that names it can be built. */
export const CONTRADICTION = 'contradicted-test';

/** The rule of a fault that no test notices: only a further test can mend it, and never the builder. */
export const UNNOTICED = 'unnoticed-fault';

/** The rule of an attempt on a frozen test: nothing came of it, and people read of it. */
export const FROZEN_TEST = 'frozen-test';

/** The rule of what is wrong with a draft of the test designer. */
export const TEST_DESIGN = 'test-design';

/** What the schema of a report accepts. */
const LONGEST = { message: 4000, suggestion: 2000 } as const;

/** A defect with the id `rule:about`. Texts that are too long lose their end, so that no output of a tool can break a report. */
export function defect(draft: DefectDraft): Defect {
  const { rule, about, message, requirement, file, line, severity, suggestion } = draft;
  return {
    id: about === undefined ? rule : `${rule}:${about}`,
    requirement: requirement ?? null,
    file: file ?? null,
    line: line ?? null,
    rule,
    severity: severity ?? 'blocker',
    message: cut(message, LONGEST.message),
    suggestion: suggestion === undefined || suggestion === null ? null : cut(suggestion, LONGEST.suggestion),
  };
}

/** A character outside the basic plane may lie across the cut; PostgreSQL refuses half of one. */
function cut(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed();
}
