/** The gates as data. A gate reads measurements of the current entry only; a missing one blocks. */
import type { Surface } from '../documents/documents.ts';
import type { Verdict } from './loop.ts';
import type { Measurement } from './measurement.ts';
import type { PhaseName } from './terms.ts';

export interface Gate {
  readonly phase: PhaseName;
  /** Name of the measurement that is read, and of the gate. */
  readonly name: string;
  readonly operator: '<=' | '>=';
  readonly threshold: number;
  /** Surfaces that have this gate; all when undefined. A command line has no request latency to measure. */
  readonly surfaces?: readonly Surface[];
}

const SERVED: readonly Surface[] = ['http', 'web'];

/** Built-in thresholds (M-14); `config/guardrails.yaml` states them for people and a test keeps the two equal. */
export const GATES: readonly Gate[] = [
  { phase: 'DISCOVER', name: 'goal_metrics', operator: '>=', threshold: 1 },
  { phase: 'DISCOVER', name: 'open_questions', operator: '<=', threshold: 0 },
  { phase: 'DEFINE', name: 'broken_spec_rules', operator: '<=', threshold: 0 },
  { phase: 'DEFINE', name: 'spec_confidence', operator: '>=', threshold: 0.9 },
  { phase: 'PLAN', name: 'arch_uncertainty', operator: '<=', threshold: 0.8 },
  { phase: 'PLAN', name: 'uncovered_requirements', operator: '<=', threshold: 0 },
  { phase: 'PLAN', name: 'plan_findings', operator: '<=', threshold: 0 },
  { phase: 'PLAN', name: 'spec_findings', operator: '<=', threshold: 0 },
  { phase: 'PLAN', name: 'diagram_errors', operator: '<=', threshold: 0 },
  { phase: 'BUILD', name: 'build_errors', operator: '<=', threshold: 0 },
  { phase: 'BUILD', name: 'health_failures', operator: '<=', threshold: 0, surfaces: SERVED },
  { phase: 'BUILD', name: 'test_failures', operator: '<=', threshold: 0 },
  { phase: 'BUILD', name: 'suite_failures', operator: '<=', threshold: 0 },
  { phase: 'BUILD', name: 'security_findings', operator: '<=', threshold: 0 },
  { phase: 'BUILD', name: 'review_revisions', operator: '<=', threshold: 2 },
  { phase: 'SEED_DATA', name: 'seed_errors', operator: '<=', threshold: 0 },
  { phase: 'SEED_DATA', name: 'seed_drift', operator: '<=', threshold: 0 },
  { phase: 'SEED_DATA', name: 'seed_count_mismatches', operator: '<=', threshold: 0 },
  { phase: 'VERIFY', name: 'uat_pass_rate', operator: '>=', threshold: 0.95 },
  { phase: 'VERIFY', name: 'evidence_gaps', operator: '<=', threshold: 0 },
  { phase: 'VERIFY', name: 'regressions', operator: '<=', threshold: 0 },
  { phase: 'VERIFY', name: 'test_integrity_violations', operator: '<=', threshold: 0 },
  { phase: 'VERIFY', name: 'security_findings', operator: '<=', threshold: 0 },
  { phase: 'VERIFY', name: 'p95_ms', operator: '<=', threshold: 500, surfaces: SERVED },
  { phase: 'VERIFY', name: 'flakiness', operator: '<=', threshold: 0.1 },
  { phase: 'SHIP', name: 'failed_checks', operator: '<=', threshold: 0 },
];

const COMPARE = {
  '<=': (value: number, threshold: number) => value <= threshold,
  '>=': (value: number, threshold: number) => value >= threshold,
} as const;

/**
 * Judges every gate of a phase. A gate whose measurement is missing, repeated or not a number does not pass.
 * An unknown surface has every gate of the phase.
 */
export function verdictsOf(
  phase: PhaseName,
  measurements: readonly Measurement[],
  surface: Surface | undefined,
): readonly Verdict[] {
  return GATES.filter((gate) => gate.phase === phase && has(gate, surface)).map((gate) =>
    verdictOf(gate, measurements),
  );
}

/** Whether every gate of the phase passed; a phase without gates has nothing to pass here. */
export function allPassed(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ passed }) => passed);
}

function has(gate: Gate, surface: Surface | undefined): boolean {
  return gate.surfaces === undefined || surface === undefined || gate.surfaces.includes(surface);
}

function verdictOf(gate: Gate, measurements: readonly Measurement[]): Verdict {
  const found = measurements.filter(({ name }) => name === gate.name);
  const threshold = `${gate.operator} ${gate.threshold}`;
  const value = found.length === 1 ? found[0]?.value : undefined;
  if (value === undefined || !Number.isFinite(value)) return { name: gate.name, threshold, passed: false };
  return { name: gate.name, value, threshold, passed: COMPARE[gate.operator](value, gate.threshold) };
}
