/** The evidence matrix: what proves each requirement, from the report of VERIFY. */

import { oneLine, sections, table } from '../documents/markdown.ts';
import type { VerifyReport } from '../loop/brief.ts';
import { thresholdText, valueText } from './words.ts';

/** evidence.md; says in its first line when there was no sandbox. */
export function evidenceDocument(report: VerifyReport): string {
  const { evidence, acceptance, measurements, candidate, base, sandbox, missingWalls = [] } = report;
  const judged = `Candidate \`${candidate}\` was judged against base \`${base}\`.`;
  const contained =
    sandbox === 'none'
      ? '**Sandbox: none.** The code ran without a sandbox.'
      : 'The code ran in a sandbox (bubblewrap).';
  return sections('Evidence', [
    ['How it was judged', [contained, ...missingWalls.map((sentence) => oneLine(sentence, 300)), judged].join(' ')],
    ['Requirements', evidence.length === 0 ? 'No requirement was proved.' : evidenceTable(report)],
    [
      'Acceptance',
      acceptance.length === 0 ? 'No acceptance row was performed.' : acceptance.map(acceptanceItem).join('\n'),
    ],
    [
      'Measurements',
      table(
        ['name', 'value', 'unit', 'read from', 'raw output'],
        measurements.map(({ name, value, unit, source, raw }) => [
          name,
          valueText(value),
          unit,
          oneLine(source, 1000),
          `\`${raw.slice(7, 19)}\``,
        ]),
      ),
    ],
  ]);
}

/** A row of the acceptance; each of its steps stands on a line of its own. */
function acceptanceItem({ id, requirement, passed, detail }: VerifyReport['acceptance'][number]): string {
  const name = `- ${passed ? '✓' : '✗'} ${id} (${requirement})`;
  const steps = detail.split('\n');
  return steps.length === 1 ? `${name}: ${detail}` : [`${name}:`, ...steps.map((step) => `  - ${step}`)].join('\n');
}

/** One row per requirement: its test on the base, on the head, and where it must fail: with the change reverted and under mutation. */
export function evidenceTable({ evidence }: VerifyReport): string {
  return table(
    ['id', 'kind', 'proved by', 'base', 'head', 'counter-check', 'verdict'],
    evidence.map(({ requirement, kind, test, base, head, reverted, mutated, value, proven, reason }) => [
      requirement,
      kind,
      `\`${test}\``,
      ...(kind === 'metric'
        ? ['', valueText(value ?? undefined), '']
        : [base, head, counterCheck({ kind, reverted, mutated })]),
      verdictText({ kind, proven, reason }),
    ]),
  );
}

/** Where nothing of a change can be mutated, being reverted is all that is asked of it. */
function counterCheck({
  kind,
  reverted,
  mutated,
}: Pick<VerifyReport['evidence'][number], 'kind' | 'reverted' | 'mutated'>): string {
  if (kind === 'keep') return `mutated: ${mutated}`;
  return mutated === 'not-run' ? `reverted: ${reverted}` : `reverted: ${reverted}, mutated: ${mutated}`;
}

/** The columns show why a test proves; of a number they show only the number, so its target is said. */
function verdictText({ kind, proven, reason }: Pick<VerifyReport['evidence'][number], 'kind' | 'proven' | 'reason'>) {
  if (!proven) return `**not proven**: ${reason}`;
  return kind === 'metric' && reason !== '' ? `proven: ${thresholdText(reason)}` : 'proven';
}
