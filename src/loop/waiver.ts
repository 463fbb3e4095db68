/** What a person lifts by `/waive <finding>`: one finding of the scan or of the rules about tests. Pure. */
import { z } from 'zod';
import type { Defect } from './measurement.ts';

/** Long enough that no line can be made, in the time of a build, whose name is that of a finding that was lifted. */
const FINDING = /W-[0-9a-f]{12}/;

export const waiver = z.strictObject({
  finding: z.string().regex(new RegExp(`^${FINDING.source}$`)),
  /** Login of the person. */
  by: z.string(),
  at: z.string(),
  reason: z.string(),
});
export type Waiver = z.infer<typeof waiver>;

const NAMED = new RegExp(`#(?<finding>${FINDING.source})$`);

/** The id of a defect that people may lift; undefined for every other one. */
export function findingOf({ id }: Pick<Defect, 'id'>): string | undefined {
  return NAMED.exec(id)?.groups?.finding;
}
