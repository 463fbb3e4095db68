/** What the acceptance rows come to, as numbers. */
import type { Brief } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, measured } from '../workspace/environment.ts';
import type { Acceptance } from './acceptance.ts';
import type { Evidence } from './evidence.ts';

export type AcceptedRow = Acceptance['rows'][number];

/** All acceptance rows in their order; one of kind metric passes with its requirement's number. */
export function withMetrics(brief: Brief, { rows }: Acceptance, evidence: Evidence): readonly AcceptedRow[] {
  return brief.acceptance.map((row) => {
    const performed = rows.find((other) => other.row.id === row.id);
    if (performed !== undefined) return performed;
    const number = evidence.rows.find(({ requirement, kind }) => requirement === row.requirement && kind === 'metric');
    return { row, passed: number?.proven ?? false, detail: number?.reason ?? 'its requirement has no number' };
  });
}

/** `uat_pass_rate`: the share of acceptance rows that passed. */
export async function acceptanceReading(bench: Bench, rows: readonly AcceptedRow[], raw: string): Promise<Reading> {
  const failed = rows.filter(({ passed }) => !passed);
  const defects = failed.map(({ row, detail }) =>
    defect({
      rule: 'acceptance',
      about: row.id,
      requirement: row.requirement,
      message: `${row.id} (${row.title}) did not pass: ${detail.split('\n').at(-1)}`,
    }),
  );
  if (rows.length === 0) {
    const message = 'There are no acceptance rows, so nothing shows that the product does what was asked.';
    return { measurement: undefined, defects: [defect({ rule: 'acceptance', about: 'none', message })] };
  }
  const measurement = await measured(bench.environment, {
    name: 'uat_pass_rate',
    value: (rows.length - failed.length) / rows.length,
    unit: 'ratio',
    source: sourceOf(rows),
    output: `${JSON.stringify(
      rows.map(({ row, passed, detail }) => ({ id: row.id, passed, detail })),
      null,
      1,
    )}\n${raw}`,
  });
  return { measurement, defects };
}

/** A row without steps was not performed: its requirement's number decides it. */
function sourceOf(rows: readonly AcceptedRow[]): string {
  const byNumber = rows.filter(({ row }) => row.steps.length === 0).length;
  const performed = `${rows.length - byNumber} acceptance rows performed on the built product`;
  return byNumber === 0 ? performed : `${performed}, ${byNumber} judged by a number`;
}

/** `failed_requirements`: those of which a row did not pass, because a share of all rows hides one that matters. */
export async function failedRequirementsReading(bench: Bench, rows: readonly AcceptedRow[]): Promise<Reading> {
  if (rows.length === 0) return { measurement: undefined, defects: [] };
  const failed = new Set(rows.filter(({ passed }) => !passed).map(({ row }) => row.requirement));
  const measurement = await measured(bench.environment, {
    name: 'failed_requirements',
    value: failed.size,
    unit: 'count',
    source: `requirements with an acceptance row that did not pass, of ${new Set(rows.map(({ row }) => row.requirement)).size}`,
    output: JSON.stringify([...failed]),
  });
  // The rows themselves are the defects of `uat_pass_rate`.
  return { measurement, defects: [] };
}
