/** What the evidence comes to, as numbers. */
import type { Brief, EvidenceRow } from '../../loop/brief.ts';
import { defect, UNNOTICED } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { type RequirementStrength, shareOf } from '../../loop/strength.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, measured } from '../workspace/environment.ts';
import { type Evidence, gapsOf } from './evidence.ts';

/** `evidence_gaps`: the requirements for which something is missing. */
export async function evidenceReading(bench: Bench, { rows, raw }: Evidence): Promise<Reading> {
  const gaps = gapsOf(bench.brief, rows);
  if (bench.brief.requirements.length === 0) {
    const message = 'The brief names no requirements, so nothing can be proven.';
    return { measurement: undefined, defects: [defect({ rule: 'evidence', about: 'none', message })] };
  }
  const measurement = await measured(bench.environment, {
    name: 'evidence_gaps',
    value: gaps.length,
    unit: 'count',
    source: `${bench.brief.requirements.length} requirements on the base, on the head, with the change taken back, and with faults made`,
    output: raw,
  });
  return { measurement, defects: gaps.flatMap(({ id }) => gapDefects(bench.brief, id, rows)) };
}

function gapDefects(brief: Brief, id: string, rows: readonly EvidenceRow[]): readonly Defect[] {
  const unproven = rows.filter(({ requirement, proven }) => requirement === id && !proven);
  const defects = unproven.map((row) =>
    defect({
      rule: isMatterOfTests(row) ? UNNOTICED : 'evidence',
      about: `${id}:${row.test}`,
      requirement: id,
      file: row.test.includes('::') ? row.test.split('::')[0] : undefined,
      message: `${id} (${row.kind}) is not proven${row.test === '' ? '' : ` by ${row.test}`}: ${row.reason}`,
    }),
  );
  if (brief.acceptance.some(({ requirement }) => requirement === id)) return defects;
  return [
    ...defects,
    defect({ rule: 'evidence', about: `${id}:row`, requirement: id, message: `${id} has no acceptance row.` }),
  ];
}

/** Nothing is wrong with the product as far as the test can tell; it only does not look closely enough. */
function isMatterOfTests({ kind, base, head, reverted, mutated }: EvidenceRow): boolean {
  if (head !== 'pass' || mutated === 'fail') return false;
  return kind === 'keep' ? base === 'pass' : base === 'fail' && reverted !== 'pass' && mutated === 'pass';
}

const NONE_POSSIBLE = 'no fault can be made in the lines that the requirements change';

/**
 * `mutation_score`: the least share of faults that the tests of a requirement notice in its changed lines. Not measured where that is not
 * known of one of them.
 */
export async function strengthReading({ brief, environment }: Bench, evidence: Evidence): Promise<Reading> {
  const { strengths } = evidence;
  const defects = brief.strength === 'required' ? strengths.flatMap(weakDefects) : [];
  if (!isKnown(brief, evidence)) return { measurement: undefined, defects };
  const shares = strengths.flatMap((one) => shareOf(one) ?? []);
  const measurement = await measured(environment, {
    name: 'mutation_score',
    value: Math.min(1, ...shares),
    unit: 'ratio',
    source: shares.length === 0 ? NONE_POSSIBLE : `least share of faults noticed, of ${shares.length} requirements`,
    output: JSON.stringify(strengths, null, 1),
  });
  return { measurement, defects };
}

function isKnown({ requirements }: Brief, { rows, strengths }: Evidence): boolean {
  return requirements.every(({ id, kind }) => {
    const own = strengths.find(({ requirement }) => requirement === id);
    if (own !== undefined) return own.made > 0 || own.unmeasured === 0;
    // No fault can be made in it, but is it shown?
    return kind !== 'change' || rows.every(({ requirement, proven }) => requirement !== id || proven);
  });
}

const MOST_SHOWN = 7;

/** One for each fault that nobody noticed, as far as it can be told. */
function weakDefects({ requirement, weak, made, noticed, survivors }: RequirementStrength): readonly Defect[] {
  if (!weak) return [];
  return survivors.slice(0, MOST_SHOWN).map(({ file, line, sentence }) =>
    defect({
      rule: UNNOTICED,
      about: `${requirement}:${file}:${line}`,
      requirement,
      file,
      line,
      message: `The tests of ${requirement} notice ${noticed} of ${made} faults in its change. All stay green with this one: ${file}:${line} ${sentence}`,
      suggestion: 'Add a test that fails with the fault, and passes without it.',
    }),
  );
}
