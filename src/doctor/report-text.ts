/** The doctor's table as people read it. Pure. */
import type { Report } from './doctor.ts';
import type { Row, State } from './finding.ts';

const MARKS: Readonly<Record<State, string>> = { ok: '✓', missing: '✗', wrong: '✗', unknown: '?' };

/** One line for each row, below it what to do; areas in the order in which they were looked at. */
export function reportLines({ rows, counts }: Report): readonly string[] {
  const width = Math.max(...rows.map(({ subject }) => subject.length));
  const areas = [...new Set(rows.map(({ area }) => area))];
  return [
    ...areas.flatMap((area) => [
      area,
      ...rows.filter((row) => row.area === area).flatMap((row, index, all) => rowLines(row, all[index - 1], width)),
      '',
    ]),
    `${rows.length} looked at: ${counts.ok} ok, ${counts.missing} missing, ${counts.wrong} wrong, ${counts.unknown} unknown.`,
  ];
}

/** What is to be done about several rows in turn is said once. */
function rowLines(
  { subject, state, sentence, remedy }: Row,
  before: Row | undefined,
  width: number,
): readonly string[] {
  const line = `  ${MARKS[state]} ${subject.padEnd(width)}  ${oneLine(sentence)}`;
  return remedy === undefined || remedy === before?.remedy
    ? [line]
    : [line, `${' '.repeat(width + 6)}→ ${oneLine(remedy)}`];
}

/** What others wrote may have more than one, or steer a terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
