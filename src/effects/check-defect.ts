/** A red check of the repository as the builder is told it: its name, its annotations, and the end of its log. Pure. */
import type { CheckDetails, HeadCheck } from '../github/github-port.ts';
import { cleanedLine, cleanedMarkdown } from '../guard/model-text.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

export const NO_DETAILS: CheckDetails = { annotations: [], logEnd: [] };

/** Characters; together they fit into the message of a defect. */
const LONGEST = { annotations: 1200, log: 2500 } as const;

/** Other Apps write names, details and logs; what people would not see of them is not told to a model either. */
export function checkDefect({ name, detail }: HeadCheck, { annotations, logEnd }: CheckDetails): Defect {
  const said = [...annotations, ...logEnd].map(cleanedLine);
  const noted = said.slice(0, annotations.length);
  const log = lastFitting(said.slice(annotations.length), LONGEST.log);
  const message = [
    cleanedMarkdown(`The repository's check "${name}" failed: ${detail}`),
    ...(noted.length === 0 ? [] : ['Its annotations:', noted.join('\n').slice(0, LONGEST.annotations).toWellFormed()]),
    ...(log.length === 0 ? [] : ['The end of its log:', ...log]),
  ].join('\n');
  return defect({ rule: 'repository-check', about: name, message });
}

/** The last lines say what failed; the first of them give way. */
function lastFitting(lines: readonly string[], most: number): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.toReversed()) {
    length += line.length + 1;
    if (length > most) break;
    kept.unshift(line);
  }
  return kept;
}
