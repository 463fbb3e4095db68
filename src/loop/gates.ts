/** The gates as data. A gate reads measurements of the current entry only; a missing one blocks. */
import type { Surface } from '../documents/documents.ts';
import type { Loop, Verdict } from './loop.ts';
import type { Measurement, Thresholds } from './measurement.ts';
import type { PhaseName, StrengthPolicy } from './terms.ts';
import { TOOLS, type ToolName, toolName } from './tools.ts';

export interface Gate {
  readonly phase: PhaseName;
  /** Name of the measurement that is read, and of the gate. */
  readonly name: string;
  readonly operator: '<=' | '>=';
  /** Surfaces that have this gate; all when undefined. A command line has no request latency to measure. */
  readonly surfaces?: readonly Surface[];
  /** Where its numbers are shares, from 0 to 1. */
  readonly isShare?: true;
  /** It is there where the repository has this tool. */
  readonly tool?: ToolName;
  /** It blocks only where the repository says `strength: required`; elsewhere people are told. */
  readonly isStrength?: true;
}

const SERVED: readonly Surface[] = ['http', 'web'];

/** Whether the product is started, and asked over HTTP. */
export function isServed(surface: Surface): boolean {
  return SERVED.includes(surface);
}

/** Every gate (M-14). The numbers stand in `config/guardrails.yaml`. */
export const GATES: readonly Gate[] = [
  { phase: 'DISCOVER', name: 'goal_metrics', operator: '>=' },
  { phase: 'DISCOVER', name: 'open_questions', operator: '<=' },
  { phase: 'DEFINE', name: 'broken_spec_rules', operator: '<=' },
  { phase: 'DEFINE', name: 'spec_confidence', operator: '>=', isShare: true },
  { phase: 'PLAN', name: 'arch_uncertainty', operator: '<=', isShare: true },
  { phase: 'PLAN', name: 'uncovered_requirements', operator: '<=' },
  { phase: 'PLAN', name: 'plan_findings', operator: '<=' },
  { phase: 'PLAN', name: 'spec_findings', operator: '<=' },
  { phase: 'PLAN', name: 'diagram_errors', operator: '<=' },
  { phase: 'BUILD', name: 'build_errors', operator: '<=' },
  { phase: 'BUILD', name: 'health_failures', operator: '<=', surfaces: SERVED },
  { phase: 'BUILD', name: 'test_failures', operator: '<=' },
  { phase: 'BUILD', name: 'suite_failures', operator: '<=' },
  { phase: 'BUILD', name: 'security_findings', operator: '<=' },
  { phase: 'BUILD', name: 'review_revisions', operator: '<=' },
  { phase: 'SEED_DATA', name: 'seed_errors', operator: '<=' },
  { phase: 'SEED_DATA', name: 'seed_drift', operator: '<=' },
  { phase: 'SEED_DATA', name: 'seed_count_mismatches', operator: '<=' },
  { phase: 'VERIFY', name: 'uat_pass_rate', operator: '>=', isShare: true },
  { phase: 'VERIFY', name: 'failed_requirements', operator: '<=' },
  { phase: 'VERIFY', name: 'evidence_gaps', operator: '<=' },
  { phase: 'VERIFY', name: 'mutation_score', operator: '>=', isShare: true, isStrength: true },
  { phase: 'VERIFY', name: 'regressions', operator: '<=' },
  { phase: 'VERIFY', name: 'test_integrity_violations', operator: '<=' },
  { phase: 'VERIFY', name: 'security_findings', operator: '<=' },
  ...toolName.options.map((tool): Gate => ({ phase: 'VERIFY', name: TOOLS[tool].measures, operator: '<=', tool })),
  { phase: 'VERIFY', name: 'p95_ms', operator: '<=', surfaces: SERVED },
  { phase: 'VERIFY', name: 'flakiness', operator: '<=', isShare: true },
  { phase: 'SHIP', name: 'failed_checks', operator: '<=' },
];

const COMPARE = {
  '<=': (value: number, threshold: number) => value <= threshold,
  '>=': (value: number, threshold: number) => value >= threshold,
} as const;

/** What a phase is judged by. */
export interface Standard {
  readonly phase: PhaseName;
  /** An unknown one has every gate of the phase. */
  readonly surface: Surface | undefined;
  readonly thresholds: Thresholds | undefined;
  readonly strength?: StrengthPolicy | undefined;
  /** That the configuration names. */
  readonly tools?: readonly ToolName[] | undefined;
}

/** Judges every gate of a phase. A gate whose number is not known, or whose measurement is missing, repeated or not a number, does not pass. */
export function verdictsOf(standard: Standard, measurements: readonly Measurement[]): readonly Verdict[] {
  const { thresholds, strength } = standard;
  return GATES.filter((gate) => has(gate, standard)).map((gate) => ({
    ...verdictOf(gate, thresholdOf(gate, thresholds), measurements),
    ...(gate.isStrength && strength !== 'required' ? ({ advisory: true } as const) : {}),
  }));
}

/** By which standard a loop's phase is judged. */
export function standardOf({ started, surface }: Pick<Loop, 'started' | 'surface'>, phase: PhaseName): Standard {
  return { phase, surface, thresholds: started?.thresholds, strength: started?.strength };
}

/** The number that a gate compares with. */
export function thresholdOf(
  { phase, name }: Pick<Gate, 'phase' | 'name'>,
  thresholds: Thresholds | undefined,
): number | undefined {
  return thresholds?.[phase]?.[name];
}

/** Whether every gate of the phase that blocks was passed; a phase without gates has nothing to pass here. */
export function allPassed(verdicts: readonly Verdict[]): boolean {
  return !verdicts.some(blocks);
}

/** Whether the loop cannot go on past the gate. */
export function blocks({ passed, advisory }: Verdict): boolean {
  return !passed && advisory !== true;
}

function has(gate: Gate, { phase, surface, tools = [] }: Standard): boolean {
  if (gate.phase !== phase || (gate.tool !== undefined && !tools.includes(gate.tool))) return false;
  return gate.surfaces === undefined || surface === undefined || gate.surfaces.includes(surface);
}

function verdictOf(
  { name, operator }: Gate,
  number: number | undefined,
  measurements: readonly Measurement[],
): Verdict {
  const found = measurements.filter((measurement) => measurement.name === name);
  const threshold = `${operator} ${number ?? 'an unknown number'}`;
  const value = found.length === 1 ? found[0]?.value : undefined;
  if (value === undefined || !Number.isFinite(value)) return { name, threshold, passed: false };
  return { name, value, threshold, passed: number !== undefined && COMPARE[operator](value, number) };
}
