/** How an entry is judged: its gates, its costs, the defects that it leaves. Pure. */
import type { ModelCall } from './brief.ts';
import type { Event } from './event.ts';
import { allPassed, verdictsOf } from './gates.ts';
import type { Decision, Loop } from './loop.ts';
import type { Defect } from './measurement.ts';
import type { Price } from './terms.ts';
import { type Ending, emit, fail, only, pass, withoutApproval } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** What an entry is judged by. */
export type Findings = Pick<Ending, 'at' | 'measurements' | 'defects' | 'signature'>;

export const NO_FINDINGS: Omit<Findings, 'at'> = { measurements: [], defects: [], signature: '' };

/** Judges the current entry by its gates and walks on. */
export function judge(loop: Loop, findings: Findings): Decision {
  const ending = endingOf(loop, findings);
  if (!allPassed(ending.gates)) return fail(loop, ending);
  const decision = pass(loop, ending);
  // A plan that leaves REFLECT or ARCH_REVIEW keeps its approval; a new plan number never inherits one.
  return decision.loop.phase === 'ARCH_REVIEW'
    ? emit(only(withoutApproval(decision.loop)), ...decision.effects)
    : decision;
}

export function endingOf(loop: Loop, { at, measurements, defects, signature }: Findings): Ending {
  const gates = verdictsOf(loop.phase, measurements, loop.surface);
  const red = gates
    .filter(({ passed }) => !passed)
    .map(
      ({ name, value, threshold }) => `${name} ${value === undefined ? 'not measured' : value} (needs ${threshold})`,
    );
  return {
    at,
    outcome: red.length === 0 ? 'passed' : 'failed',
    gates,
    measurements,
    defects,
    reason: red.length === 0 ? '' : `${loop.phase}: ${red.join(', ')}.`,
    signature,
  };
}

export function charged(loop: Loop, calls: readonly ModelCall[]): Loop {
  const { spent } = loop;
  return {
    ...loop,
    spent: {
      calls: spent.calls + calls.length,
      callsOutsideBuild:
        spent.callsOutsideBuild + calls.filter(({ phase }) => phase !== 'BUILD' && phase !== 'SEED_DATA').length,
      promptTokens: spent.promptTokens + sum(calls.map((call) => call.promptTokens)),
      completionTokens: spent.completionTokens + sum(calls.map((call) => call.completionTokens)),
      usd: spent.usd + costUsd(loop.price, calls),
    },
  };
}

function costUsd(price: Price | undefined, calls: readonly ModelCall[]): number {
  if (price === undefined) return 0;
  return sum(
    calls.map(
      ({ promptTokens, completionTokens }) =>
        (promptTokens * price.prompt + completionTokens * price.completion) / 1_000_000,
    ),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function defectOf(event: Of<'failed'>): Defect {
  return {
    id: `${event.cause}-${event.entry}`,
    requirement: null,
    file: null,
    line: null,
    rule: event.cause,
    severity: 'blocker',
    message: event.reason.slice(0, 4000),
    suggestion: null,
  };
}
