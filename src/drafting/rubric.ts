/** The reviewer's half of spec_confidence: a verdict counts only with a quote that stands in spec.md. Pure. */
import { RUBRIC, type Specification, type SpecReview } from '../documents/documents.ts';
import type { SpecPoint } from './spec-points.ts';

/** Every rubric point of every requirement, whether or not the reviewer spoke to it. */
export function rubricPoints(
  { requirements }: Pick<Specification, 'requirements'>,
  text: string,
  { points }: SpecReview,
): readonly SpecPoint[] {
  return requirements.flatMap(({ id }) =>
    RUBRIC.map((point) =>
      judged(
        id,
        point,
        text,
        points.filter((given) => given.requirement === id && given.point === point),
      ),
    ),
  );
}

/** Not met when nothing was said, when any verdict is negative, or when a quote is not verbatim. */
function judged(requirement: string, point: string, text: string, given: SpecReview['points']): SpecPoint {
  const judgement = { by: 'review' as const, requirement, point };
  if (given.length === 0) return { ...judgement, met: false, detail: `The reviewer said nothing about "${point}".` };
  const invented = given.find(({ quote }) => !text.includes(quote));
  if (invented !== undefined)
    return {
      ...judgement,
      met: false,
      detail: `The quote for "${point}" does not occur in spec.md: ${invented.quote}`,
    };
  const unmet = given.find(({ met }) => !met);
  if (unmet !== undefined)
    return { ...judgement, met: false, detail: `Not ${point}, says the reviewer of: ${unmet.quote}` };
  return { ...judgement, met: true, detail: given[0]?.quote ?? '' };
}
