/** Rates with what they may be by chance. Pure. */
import { z } from 'zod';

export const judged = z.object({
  folder: z.string(),
  runner: z.string(),
  case: z.enum(['fix', 'tests', 'half', 'flipped', 'named', 'negated', 'written']),
  /** Whether it must be proved; what must not may be refused or not judged. */
  isRight: z.boolean(),
  verdict: z.enum(['proved', 'weakly proved', 'not proved', 'not judged']),
  reason: z.string(),
  seconds: z.number(),
});
export type Judged = z.infer<typeof judged>;

/** Rows as they were kept, one JSON object a line; of a case the last one counts. The last line may be cut off. */
export function keptRows(text: string): readonly Judged[] {
  const lines = text.split('\n').slice(0, -1).filter(Boolean);
  const rows = lines.map((line) => judged.parse(JSON.parse(line)));
  return [...new Map(rows.map((row) => [`${row.folder} ${row.case}`, row])).values()];
}

/** What a rate counts, and of which cases. */
const RATES: readonly (readonly [what: string, cases: readonly Judged['case'][]])[] = [
  ['right fixes proved', ['fix']],
  ['right fixes in another spelling proved', ['flipped', 'named', 'negated', 'written']],
  ['tests without the fix refused', ['tests']],
  ['half of the fix refused', ['half']],
];

const PROVED: ReadonlySet<Judged['verdict']> = new Set(['proved', 'weakly proved']);

/** One line a kind of case. */
export function rateLines(rows: readonly Judged[]): readonly string[] {
  return RATES.flatMap(([what, cases]) => {
    const own = rows.filter((row) => cases.includes(row.case));
    if (own.length === 0) return [];
    const good = own.filter(({ isRight, verdict }) => isRight === PROVED.has(verdict));
    const [low, high] = boundsOf(good.length, own.length).map((share) => `${(100 * share).toFixed(1)} %`);
    return [`${what}: ${good.length} of ${own.length} (95 % bounds ${low} to ${high})`];
  });
}

const Z = 1.96;

/** Wilson's interval for a share, 95 %. */
export function boundsOf(good: number, all: number): readonly [number, number] {
  const share = good / all;
  const middle = share + (Z * Z) / (2 * all);
  const reach = Z * Math.sqrt((share * (1 - share)) / all + (Z * Z) / (4 * all * all));
  const scale = 1 + (Z * Z) / all;
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)];
}
