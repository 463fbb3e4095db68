/** The points that a specification is judged by: each is met or not, and says why. Pure. */
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

export interface SpecPoint {
  /** `lint` by rules, `review` by the critic. */
  readonly by: 'lint' | 'review';
  /** R-1…; undefined for points of the whole specification. */
  readonly requirement: string | undefined;
  readonly point: string;
  readonly met: boolean;
  /** What was found, with its value; the quote of the reviewer. */
  readonly detail: string;
}

/** Points met / points; no points at all is no confidence. */
export function confidenceOf(points: readonly SpecPoint[]): number {
  return points.length === 0 ? 0 : points.filter(({ met }) => met).length / points.length;
}

/** One defect per point that is not met. */
export function defectsOfPoints(points: readonly SpecPoint[], file: string): Defect[] {
  return points
    .filter(({ met }) => !met)
    .map(({ by, requirement, point, detail }) =>
      defect({
        rule: `spec-${by}/${point}`,
        about: requirement ?? 'spec',
        requirement,
        file,
        severity: 'major',
        message: detail,
      }),
    );
}
