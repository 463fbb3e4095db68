/** Whether the numbers of a goal arrive in its specification, and whether anybody will measure them. Pure. */
import type { Requirement, Specification, Surface } from '../documents/documents.ts';
import { GATES, type Gate, thresholdOf } from '../loop/gates.ts';
import type { Thresholds } from '../loop/measurement.ts';

type Metric = Requirement['metrics'][number];
type Row = Specification['requirements'][number];

/** A share that VERIFY computes for requirements, and that BUILD's gates on tests hold at 1. */
const TEST_PASS_RATE: Measured = { name: 'test_pass_rate', operator: '>=' };
const HELD_AT = 1;
const HOLDERS = [
  { phase: 'BUILD', name: 'test_failures' },
  { phase: 'BUILD', name: 'suite_failures' },
] as const;

type Measured = Pick<Gate, 'name' | 'operator'>;

function measures(surface: Surface): readonly Measured[] {
  const gates = GATES.filter(
    ({ phase, surfaces, tool }) => phase === 'VERIFY' && tool === undefined && (surfaces?.includes(surface) ?? true),
  );
  return [...gates, TEST_PASS_RATE];
}

/** Whether VERIFY measures a number of this name on this surface. */
export function isMeasured(name: string, surface: Surface): boolean {
  return measures(surface).some((one) => one.name === name);
}

/** The names of what VERIFY measures, for people and models. */
export function measuredOn(surface: Surface): string {
  return measures(surface)
    .map(({ name }) => `\`${name}\``)
    .join(', ');
}

/** A share that every loop's gates hold anyway: as a requirement it would say nothing of this change. */
export function isFiller(metric: Metric, surface: Surface, thresholds: Thresholds | undefined): boolean {
  const isShare = metric.name === 'uat_pass_rate' || metric.name === TEST_PASS_RATE.name;
  return isShare && isHeldByGate(metric, surface, thresholds);
}

/** What the specification leaves out of the goal's numbers, in one sentence each. */
export function goalProblems(
  requirements: readonly Row[],
  { metrics, surface }: Pick<Requirement, 'metrics' | 'surface'>,
  thresholds: Thresholds | undefined,
): readonly string[] {
  return metrics.flatMap((metric) => {
    if (isHeldByGate(metric, surface, thresholds) || isStated(metric, requirements, surface)) return [];
    const number = `\`${metric.name} ${metric.operator} ${metric.value}${metric.unit === '' ? '' : ` ${metric.unit}`}\``;
    if (isMeasured(metric.name, surface))
      return [`The goal's ${number} has no requirement: add one of kind metric with this metric.`];
    return [`The goal's ${number} has no requirement: add a criterion that names \`${metric.name}\` and its number.`];
  });
}

/** As a metric of its own; a number that VERIFY has no meter for, by its name in a criterion. */
function isStated({ name }: Metric, requirements: readonly Row[], surface: Surface): boolean {
  return isMeasured(name, surface)
    ? requirements.some(({ metric }) => metric?.name === name)
    : requirements.some(({ criteria }) => criteria.some((text) => text.includes(name)));
}

/** A gate that every loop passes asks for as much. */
function isHeldByGate(metric: Metric, surface: Surface, thresholds: Thresholds | undefined): boolean {
  return measures(surface).some((gate) => {
    if (gate.name !== metric.name || operatorOf(metric, gate) !== gate.operator) return false;
    const held = heldAt(gate, thresholds);
    if (held === undefined) return false;
    return gate.operator === '>=' ? held >= metric.value : held <= metric.value;
  });
}

function heldAt(gate: Measured, thresholds: Thresholds | undefined): number | undefined {
  if (gate !== TEST_PASS_RATE) return thresholdOf({ ...gate, phase: 'VERIFY' }, thresholds);
  return HOLDERS.every((holder) => thresholdOf(holder, thresholds) === 0) ? HELD_AT : undefined;
}

/** A share is never above 1, and a count never below 0: there, to be equal is no more than to reach it. */
function operatorOf({ operator, value }: Metric, gate: Measured): Metric['operator'] {
  const end = gate.operator === '>=' ? 1 : 0;
  return operator === '==' && value === end ? gate.operator : operator;
}
