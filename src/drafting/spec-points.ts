/** The points that a specification is judged by: each is met or not, and says why. Pure. */
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

export interface SpecPoint {
  /** `rule`: may never be broken, whatever else is met; `lint`: found by a program too; `review`: by the critic. */
  readonly by: 'rule' | 'lint' | 'review';
  /** R-1…; undefined for points of the whole specification. */
  readonly requirement: string | undefined;
  readonly point: string;
  readonly met: boolean;
  /** What was found, with its value; the quote of the reviewer. */
  readonly detail: string;
  /** Nobody judged it: the critic said nothing, or quoted what is not there. It is not met, and no fault of the specification. */
  readonly unjudged?: true;
}

/** Hard rules that a specification breaks. */
export function brokenRules(points: readonly SpecPoint[]): readonly SpecPoint[] {
  return points.filter(({ by, met }) => by === 'rule' && !met);
}

/** A point that is not met, as it is told to whoever can meet it. */
export function toldPoint({ requirement, point, detail }: SpecPoint): string {
  return `${requirement ?? 'the specification'}, ${point}: ${detail}`;
}

/** Points met / points; no points at all is no confidence. */
export function confidenceOf(points: readonly SpecPoint[]): number {
  return points.length === 0 ? 0 : points.filter(({ met }) => met).length / points.length;
}

/** One defect per point that is not met, and one for all that the critic did not judge: those the writer cannot mend. */
export function defectsOfPoints(points: readonly SpecPoint[], file: string): Defect[] {
  const unmet = points.filter(({ met }) => !met);
  const unjudged = unmet.filter((point) => point.unjudged);
  return [
    ...unmet.filter((point) => !point.unjudged).map((point) => defectOf(point, file)),
    ...unjudgedDefect(unjudged),
  ];
}

function defectOf({ by, requirement, point, detail }: SpecPoint, file: string): Defect {
  return defect({
    rule: `spec-${by}/${point}`,
    about: requirement ?? 'spec',
    requirement,
    file,
    severity: 'major',
    message: detail,
  });
}

function unjudgedDefect(points: readonly SpecPoint[]): readonly Defect[] {
  if (points.length === 0) return [];
  const which = points.map(({ requirement, point }) => `${requirement} ${point}`).join(', ');
  return [
    defect({
      rule: 'spec-review/unjudged',
      severity: 'major',
      message: `The critic gave no verdict with words of spec.md on ${which}, though it was told so. The specification itself is not to blame for that.`,
    }),
  ];
}
