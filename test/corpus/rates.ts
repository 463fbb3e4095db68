/** Rates with what they may be by chance. Pure. */

export interface Judged {
  readonly folder: string;
  readonly runner: string;
  readonly case: 'fix' | 'tests' | 'half';
  /** Whether it must be proved; what must not may be refused or not judged. */
  readonly isRight: boolean;
  readonly verdict: 'proved' | 'weakly proved' | 'not proved' | 'not judged';
  readonly reason: string;
  readonly seconds: number;
}

const WHAT = { fix: 'right fixes proved', tests: 'tests without the fix refused', half: 'half of the fix refused' };

const PROVED: ReadonlySet<Judged['verdict']> = new Set(['proved', 'weakly proved']);

/** One line a kind of case. */
export function rateLines(rows: readonly Judged[]): readonly string[] {
  return (['fix', 'tests', 'half'] as const).flatMap((name) => {
    const own = rows.filter((row) => row.case === name);
    if (own.length === 0) return [];
    const good = own.filter(({ isRight, verdict }) => isRight === PROVED.has(verdict));
    const [low, high] = boundsOf(good.length, own.length).map((share) => `${(100 * share).toFixed(1)} %`);
    return [`${WHAT[name]}: ${good.length} of ${own.length} (95 % bounds ${low} to ${high})`];
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
