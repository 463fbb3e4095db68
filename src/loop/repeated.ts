/** What two reports of VERIFY about the same brief say, beside each other. Pure. */
import type { Brief, VerifyReport } from './brief.ts';
import { verdictsOf } from './gates.ts';
import { toolsOf } from './tools.ts';

/** The file of the brief, beside the report in the artifact of VERIFY. */
export const VERIFY_BRIEF = 'brief.json';

/** One thing that VERIFY says, as both reports have it. */
export interface Compared {
  readonly what: string;
  readonly before: string;
  readonly now: string;
}

const NOTHING = 'not said';

/** Gates, requirements, strengths and acceptance rows, each once. Times are compared by their verdict: no two runs take as long. */
export function comparedReports(brief: Brief, before: VerifyReport, now: VerifyReport): readonly Compared[] {
  const [then, again] = [saidBy(brief, before), saidBy(brief, now)];
  return [...new Set([...then.keys(), ...again.keys()])].map((what) => ({
    what,
    before: then.get(what) ?? NOTHING,
    now: again.get(what) ?? NOTHING,
  }));
}

/** Of what was compared, what is not the same. */
export function differencesIn(compared: readonly Compared[]): readonly Compared[] {
  return compared.filter(({ before, now }) => before !== now);
}

function saidBy(brief: Brief, report: VerifyReport): ReadonlyMap<string, string> {
  return new Map([...gates(brief, report), ...requirements(report), ...strengths(report), ...rows(report)]);
}

type Said = readonly (readonly [what: string, said: string])[];

function gates(brief: Brief, { measurements }: VerifyReport): Said {
  const { surface, thresholds, strength } = brief;
  const standard = { phase: 'VERIFY', surface, thresholds, strength, tools: toolsOf(brief) } as const;
  return verdictsOf(standard, measurements).map(({ name, value, passed }) => {
    const unit = measurements.find((one) => one.name === name)?.unit;
    const verdict = passed ? 'passed' : 'not passed';
    if (value === undefined) return [name, 'not measured'] as const;
    return [name, unit === 'ms' ? verdict : `${Math.round(value * 1000) / 1000}, ${verdict}`] as const;
  });
}

function requirements({ evidence }: VerifyReport): Said {
  const byId = Map.groupBy(evidence, ({ requirement }) => requirement);
  return [...byId].map(([id, own]) => [id, own.every(({ proven }) => proven) ? 'proven' : 'not proven'] as const);
}

function strengths({ strengths: all = [] }: VerifyReport): Said {
  return all.map(
    ({ requirement, noticed, made }) => [`${requirement}, faults`, `${noticed} of ${made} noticed`] as const,
  );
}

function rows({ acceptance }: VerifyReport): Said {
  return acceptance.map(({ id, passed }) => [id, passed ? 'passed' : 'failed'] as const);
}
