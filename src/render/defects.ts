/** What was found, as people read it: the sentence first, then the lines of output that say most. */

import { fenced, oneLine } from '../documents/markdown.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';

const MAX_LINES = 10;
const LINE = 200;

/** A list with one item per defect; each says what and where, and shows the first useful lines of output under it. */
export function defectList(defects: readonly Defect[]): string {
  return defects.map(defectItem).join('\n');
}

/** One line: severity, rule, where, and the first line of what was found. */
export function defectLine({ severity, rule, requirement, file, line, message, suggestion }: Defect): string {
  const place = file === null ? [] : [`\`${file}${line === null ? '' : `:${line}`}\``];
  const where = [...(requirement === null ? [] : [requirement]), ...place];
  const advice = suggestion === null ? '' : ` ${oneLine(suggestion)}`;
  return `${severity}, ${rule}${where.length === 0 ? '' : ` (${where.join(', ')})`}: ${headline(message)}${advice}`;
}

/** Why the last try failed: which gates, and what was found first. Empty when the last try did not fail. */
export function failureSentence({ entries, feedback }: Loop): string {
  const last = entries.at(-1);
  if (last?.outcome !== 'failed') return '';
  const [first] = feedback;
  const found = first === undefined ? '' : headline(first.message);
  return found === '' || last.reason.includes(found) ? oneLine(last.reason) : `${oneLine(last.reason)} ${found}`;
}

function headline(message: string): string {
  return oneLine(message.split('\n')[0] ?? '', 2 * LINE);
}

function defectItem(defect: Defect): string {
  const lines = usefulLines(defect.message, MAX_LINES);
  const block = lines.length === 0 ? [] : fenced('text', lines.join('\n')).split('\n');
  return [`- ${defectLine(defect)}`, ...block.map((line) => `  ${line}`)].join('\n');
}

/** Where the output of test runners begins to say what failed, the surest sign first; `before` lines say where it was. */
const SIGNS = [
  { sign: /failing tests:/, before: 0 },
  { sign: /^={5,}/, before: 0 },
  { sign: /^\s*(?:✖|not ok|FAIL|ERROR)/, before: 0 },
  { sign: /Traceback/, before: 0 },
  { sign: /Error\b/, before: 3 },
] as const;
const NOISE = /^\s*$|^\s+at |^Node\.js v\d/;

/** The lines after the first that say most, at most so many: from where the failure is told, without the frames of stacks. */
export function usefulLines(message: string, most: number): readonly string[] {
  const lines = message
    .split('\n')
    .slice(1)
    .filter((line) => !NOISE.test(line));
  const starts = SIGNS.map(({ sign, before }) => ({ index: lines.findIndex((line) => sign.test(line)), before }));
  const first = starts.find(({ index }) => index >= 0);
  const from = first === undefined ? 0 : Math.max(0, first.index - first.before);
  return lines.slice(from, from + most).map((line) => (line.length > LINE ? `${line.slice(0, LINE - 1)}…` : line));
}
