/** Which tests show which requirement, as somebody lists them, and what each requirement comes to. Pure. */
import { z } from 'zod';
import { type Strength, shareOf } from '../loop/strength.ts';
import type { Proof, ProofRow, RequirementProof } from './proof.ts';
import { isWeak } from './verdict.ts';

const FORM = 'must be a test as `file` or `file::name`, a list of such tests, or `keep:` with a list of them';
const tests = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)], FORM)
  .transform((value) => (typeof value === 'string' ? [value] : value));
const listed = z.union(
  [
    tests.transform((own) => ({ kind: 'change' as const, tests: own })),
    z.strictObject({ keep: tests }).transform(({ keep }) => ({ kind: 'keep' as const, tests: keep })),
  ],
  FORM,
);

/** By requirement: what the change brings, or, behind `keep:`, what must stay. */
export const requirementList = z
  .record(z.string().min(1).max(60), listed)
  .refine((list) => Object.keys(list).length > 0, 'The list names no requirement; write `R-1: [test/file.test.js]`.');
export type RequirementList = z.infer<typeof requirementList>;

/** What is known of the tests that were run. */
export interface Known {
  readonly rows: readonly ProofRow[];
  /** Tests of untouched files that pass on the base and on the head. */
  readonly kept: readonly string[];
  /** Those of them that do not pass on the head any more. */
  readonly lost: ReadonlyMap<string, string>;
}

/** The known tests that an entry of the list means: one, or all of a file. */
export function meantBy(entry: string, { rows, kept, lost }: Known): readonly string[] {
  const all = [...rows.map(({ test }) => test), ...kept, ...lost.keys()];
  return all.filter((id) => id === entry || (!entry.includes('::') && id.startsWith(`${entry}::`)));
}

/** What each listed requirement comes to; `strengthOf` is that of its own tests, null where no fault was made. */
export async function requirementProofs(
  list: RequirementList,
  known: Known,
  strengthOf: (tests: readonly string[]) => Promise<Strength | null>,
): Promise<RequirementProof[]> {
  const proofs: RequirementProof[] = [];
  for (const [requirement, { kind, tests: entries }] of Object.entries(list)) {
    const own = [...new Set(entries.flatMap((entry) => meantBy(entry, known)))];
    const missing = entries.filter((entry) => meantBy(entry, known).length === 0);
    const strength = kind === 'change' && own.length > 0 ? await strengthOf(own) : null;
    const reasons = [
      ...missing.map((entry) => `no test \`${entry}\` was run`),
      ...REASONS[kind](ownRows(own, known), strength),
    ];
    proofs.push({ requirement, tests: own, verdict: verdictFor(kind, reasons, strength), reasons, strength });
  }
  return proofs;
}

type Shown = Pick<ProofRow, 'test' | 'role' | 'how' | 'said'>;

function ownRows(own: readonly string[], { rows, lost }: Known): readonly Shown[] {
  return own.map((test): Shown => {
    const row = rows.find((one) => one.test === test);
    if (row !== undefined) return row;
    const said = lost.get(test);
    return said === undefined ? { test, role: 'keeps', how: null, said: '' } : { test, role: 'red', how: null, said };
  });
}

const NOT_GREEN: ReadonlySet<ProofRow['role']> = new Set(['red', 'red before', 'flaky', 'left out']);

function notGreen(rows: readonly Shown[]): readonly string[] {
  return rows.flatMap(({ test, role, said }) =>
    NOT_GREEN.has(role) ? [`${test} is ${role}${said === '' ? '' : `: ${said}`}`] : [],
  );
}

const REASONS: Readonly<
  Record<'change' | 'keep', (rows: readonly Shown[], strength: Strength | null) => readonly string[]>
> = {
  change(rows, strength) {
    const proving = rows.filter(({ role }) => role === 'proves');
    const isOnlyMissing = proving.length > 0 && proving.every(({ how }) => how === 'missing');
    return [
      ...notGreen(rows),
      ...(rows.length > 0 && proving.length === 0 ? ['none of its tests fails without the change'] : []),
      ...(strength !== null && strength.noticed === 0 && (shareOf(strength) ?? 1) === 0
        ? ['none of its tests notices a fault in the changed lines']
        : []),
      ...(isOnlyMissing && strength === null
        ? [
            'its tests fail without the change only because what they use is not there, and no fault shows what they assert',
          ]
        : []),
    ];
  },
  keep: (rows) => [
    ...notGreen(rows),
    ...rows.flatMap(({ test, role }) =>
      role === 'proves' ? [`${test} fails without the change, so it shows nothing that was kept`] : [],
    ),
  ],
};

function verdictFor(
  kind: 'change' | 'keep',
  reasons: readonly string[],
  strength: Strength | null,
): RequirementProof['verdict'] {
  if (reasons.length > 0) return 'not proved';
  if (kind === 'keep') return 'kept';
  return isWeak(strength) ? 'weakly proved' : 'proved';
}

/** The verdict on the whole change with what its requirements come to: the worst counts. */
export function withRequirements(
  { verdict, reasons }: Pick<Proof, 'verdict' | 'reasons'>,
  requirements: readonly RequirementProof[],
): Pick<Proof, 'verdict' | 'reasons'> {
  const red = requirements.flatMap(({ requirement, verdict: own, reasons: why }) =>
    own === 'not proved' ? why.map((reason) => `${requirement}: ${reason}.`) : [],
  );
  const all = [...reasons, ...red];
  if (red.length > 0) return { verdict: 'not proved', reasons: all };
  const isWeakly = verdict === 'proved' && requirements.some(({ verdict: own }) => own === 'weakly proved');
  return { verdict: isWeakly ? 'weakly proved' : verdict, reasons: all };
}
