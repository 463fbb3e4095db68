/** The reviewer's half of spec_confidence: a verdict counts only with a quote that stands in spec.md. Pure. */
import { RUBRIC, type Specification, type SpecReview } from '../documents/documents.ts';
import { type SpecPoint, toldPoint } from './spec-points.ts';

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

/** What a review leaves unjudged, as it is told to the reviewer: only the reviewer can mend that. */
export function reviewProblems(specification: Pick<Specification, 'requirements'>, text: string, review: SpecReview) {
  return rubricPoints(specification, text, review)
    .filter(({ unjudged }) => unjudged)
    .map(toldPoint);
}

/** Not met when nothing was said, when any verdict is negative, or when a quote is not verbatim. */
function judged(requirement: string, point: string, text: string, given: SpecReview['points']): SpecPoint {
  const judgement = { by: 'review' as const, requirement, point };
  const unjudged = { ...judgement, met: false, unjudged: true } as const;
  if (given.length === 0)
    return { ...unjudged, detail: 'there is no verdict; every point of every requirement needs one.' };
  const invented = given.find(({ quote }) => !text.includes(quote));
  if (invented !== undefined) return { ...unjudged, detail: `the quote does not occur in spec.md: ${invented.quote}` };
  const unmet = given.find(({ met }) => !met);
  if (unmet !== undefined)
    return { ...judgement, met: false, detail: `Not ${point}, says the reviewer of: ${unmet.quote}` };
  return { ...judgement, met: true, detail: given[0]?.quote ?? '' };
}
