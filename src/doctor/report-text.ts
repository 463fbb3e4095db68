/** The doctor's table as people read it. Pure. */
import type { Report } from './doctor.ts';
import type { Row, State } from './finding.ts';

const MARKS: Readonly<Record<State, string>> = { ok: '✓', missing: '✗', wrong: '✗', unknown: '?' };

/** One line for each row, below it what to do; areas in the order in which they were looked at, and what is the same of several rows in turn once. */
export function reportLines({ rows, counts }: Report): readonly string[] {
  const width = Math.max(...rows.map(({ subject }) => subject.length));
  const areas = [...new Set(rows.map(({ area }) => area))];
  return [
    ...areas.flatMap((area) => [area, ...areaLines(inGroups(rows.filter((row) => row.area === area)), width), '']),
    `${rows.length} looked at: ${counts.ok} ok, ${counts.missing} missing, ${counts.wrong} wrong, ${counts.unknown} unknown.`,
  ];
}

interface Group extends Pick<Row, 'state' | 'sentence'> {
  readonly remedy: string | undefined;
  readonly subjects: readonly string[];
}

/** Rows in turn that were not looked at for the same reason are one. */
function inGroups(rows: readonly Row[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { subject, state, sentence, remedy } of rows) {
    const last = groups.at(-1);
    if (state === 'unknown' && last?.state === state && last.sentence === sentence && last.remedy === remedy)
      groups[groups.length - 1] = { ...last, subjects: [...last.subjects, subject] };
    else groups.push({ subjects: [subject], state, sentence, remedy });
  }
  return groups;
}

function areaLines(groups: readonly Group[], width: number): readonly string[] {
  return groups.flatMap(({ subjects, state, sentence, remedy }, index) => {
    const [begin, indent] = [`  ${MARKS[state]} `, ' '.repeat(width + 6)];
    const said = oneLine(sentence);
    const [first = ''] = subjects;
    const lines =
      subjects.length === 1
        ? [`${begin}${first.padEnd(width)}  ${said}`]
        : [`${begin}${subjects.join(', ')}`, `${indent}${said}`];
    return remedy === undefined || remedy === groups[index - 1]?.remedy
      ? lines
      : [...lines, `${indent}→ ${oneLine(remedy)}`];
  });
}

/** What others wrote may have more than one, or steer a terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
