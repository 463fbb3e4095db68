/** When a requirement counts as proven: pure rules over the outcomes of its test in several trees. */
import type { EvidenceRow, Outcome } from '../../loop/brief.ts';
import type { Metric, Operator } from './metric.ts';

export type Verdict = Pick<EvidenceRow, 'proven' | 'reason'>;

/** Outcomes of one test; `not-run` where the tree was not tried. */
export interface Outcomes {
  readonly base: Outcome;
  readonly head: Outcome;
  readonly reverted: Outcome;
  /** With faults in the product: `fail` where a test of the requirement fails by assertion with one of them. */
  readonly mutated: Outcome;
  /** Whether the test's text asserts anything. */
  readonly asserts: boolean;
}

type Rule = readonly [broken: (outcomes: Outcomes) => boolean, reason: (outcomes: Outcomes) => string];

const ASSERTS: Rule = [({ asserts }) => !asserts, () => 'the test asserts nothing'];
const HEAD: Rule = [({ head }) => head !== 'pass', ({ head }) => `on the head it is ${head}, not pass`];
const BASE_REASONS: Readonly<Record<Outcome, string>> = {
  pass: 'it passes on the base already, so it does not show the change',
  'load-error': 'on the base it breaks before it can assert (load-error), which any test does',
  'not-run': 'on the base it did not run',
  fail: '',
};
const CHANGE: readonly Rule[] = [
  ASSERTS,
  [({ base }) => base !== 'fail', ({ base }) => BASE_REASONS[base]],
  HEAD,
  [({ reverted }) => reverted === 'pass', () => 'it still passes when the change is taken back'],
  [({ reverted }) => reverted === 'not-run', () => 'it did not run with the change taken back'],
  [
    ({ mutated }) => mutated !== 'fail' && mutated !== 'not-run',
    () =>
      'no fault in the change makes a test of the requirement fail, so none looks at what the change does: assert on results',
  ],
];
const KEEP: readonly Rule[] = [
  ASSERTS,
  [({ base }) => base !== 'pass', ({ base }) => `on the base it is ${base}, so there is nothing to keep`],
  HEAD,
  [
    ({ mutated }) => mutated !== 'fail',
    () => 'no fault in the product makes it fail, so nothing shows that it guards anything',
  ],
];

/** A change: red by assertion on the base, green on the head, not green with the change taken back, and red with a fault in it where one can be made. */
export function changeVerdict(outcomes: Outcomes): Verdict {
  return verdictBy(
    CHANGE,
    outcomes,
    'fails on the base by assertion, passes on the head, red with the change taken back',
  );
}

/** Behaviour that stays: green on base and head, and red with at least one fault in the product. */
export function keepVerdict(outcomes: Outcomes): Verdict {
  return verdictBy(KEEP, outcomes, 'passes on the base and on the head, and notices a fault in the product');
}

/** A number: measured in this entry and within its own limit. */
export function metricVerdict(metric: Metric | undefined, value: number | undefined): Verdict {
  if (metric === undefined) return { proven: false, reason: 'the approved requirements name no metric for it' };
  const target = `${metric.name} ${metric.operator} ${metric.value} ${metric.unit}`.trim();
  if (value === undefined || !Number.isFinite(value)) {
    return { proven: false, reason: `${metric.name} was not measured; wanted ${target}` };
  }
  const proven = COMPARE[metric.operator](value, metric.value);
  return { proven, reason: `measured ${value}, wanted ${target}` };
}

const COMPARE: Readonly<Record<Operator, (value: number, limit: number) => boolean>> = {
  '<=': (value, limit) => value <= limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '>': (value, limit) => value > limit,
  '==': (value, limit) => value === limit,
};

function verdictBy(rules: readonly Rule[], outcomes: Outcomes, good: string): Verdict {
  const broken = rules.find(([isBroken]) => isBroken(outcomes));
  return broken === undefined ? { proven: true, reason: good } : { proven: false, reason: broken[1](outcomes) };
}
