/** How much the tests of a change notice: which faults were made in it, and which of them nobody saw. */
import { code, fenced, list, oneLine } from '../documents/markdown.ts';
import type { VerifyReport } from '../loop/brief.ts';
import type { RequirementStrength } from '../loop/strength.ts';

type Strengths = Pick<VerifyReport, 'strengths'>;

/** A sentence for each requirement; none where no faults were made. */
export function strengthText({ strengths = [] }: Strengths): readonly string[] {
  if (strengths.length === 0) return [];
  return [`Faults made in the changed lines, one at a time:\n\n${list(strengths.map(strengthLine), '')}`];
}

function strengthLine({ requirement, weak, made, noticed, unmeasured, unreached }: RequirementStrength): string {
  const share =
    made === 0
      ? 'no test comes to a line with a fault'
      : `the tests notice ${noticed} of ${made}${weak ? ', **weakly proved**' : ''}`;
  const unknown = unmeasured === 0 ? '' : `; ${unmeasured} could not be measured`;
  const lines = unreached.map(({ file, line }) => code(`${file}:${line}`));
  const more = lines.length > MOST_LINES ? ` and ${lines.length - MOST_LINES} more lines` : '';
  const shown = lines.slice(0, MOST_LINES).join(', ');
  const others = lines.length === 0 ? '' : `; none of its tests comes to ${shown}${more}`;
  return `${requirement}: ${share}${unknown}${others}.`;
}

const MOST_PATCHES = 20;
const MOST_LINES = 20;

/** Each fault that nobody noticed, as a patch. */
export function survivorsText({ strengths = [] }: Strengths): readonly string[] {
  const survivors = strengths.flatMap(({ requirement, survivors: own }) => own.map((one) => ({ requirement, ...one })));
  const byPatch = [...Map.groupBy(survivors, ({ patch }) => patch).values()];
  return byPatch.slice(0, MOST_PATCHES).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const ids = same.map(({ requirement }) => requirement).join(', ');
    const place = code(`${first.file}:${first.line}`);
    return [`${place} (${ids}): ${oneLine(first.sentence)}. All tests stay green with`, fenced('diff', first.patch)];
  });
}
