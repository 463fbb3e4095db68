/** A fault as a patch that `git apply` takes. Pure. */
import { type Fault, withFault } from './faults.ts';

/** Lines of context around what changes. */
const CONTEXT = 3;

/** One hunk in git's form; `text` is the file without the fault. */
export function patchOf(text: string, fault: Fault): string {
  const before = linesOf(text);
  const after = linesOf(withFault(text, fault));
  const same = commonLength(before, after);
  const rest = Math.min(before.length, after.length) - same;
  const tail = Math.min(rest, commonLength(before.toReversed(), after.toReversed()));
  const from = Math.max(0, same - CONTEXT);
  const lead = before.slice(from, same);
  const trail = before.slice(before.length - tail, before.length - tail + CONTEXT);
  const removed = before.slice(same, before.length - tail);
  const added = after.slice(same, after.length - tail);
  const path = quotedPath(fault.file);
  return [
    `diff --git ${path('a')} ${path('b')}`,
    `--- ${path('a')}`,
    `+++ ${path('b')}`,
    `@@ -${range(from, lead.length + removed.length + trail.length)} +${range(from, lead.length + added.length + trail.length)} @@`,
    ...[...lead.map(signed(' ')), ...removed.map(signed('-')), ...added.map(signed('+')), ...trail.map(signed(' '))],
    '',
  ].join('\n');
}

/** Each with its end, so that a last line without one differs from one that has it. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at === -1 ? one.length : at;
}

function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}

function signed(sign: string): (line: string) => string {
  return (line) =>
    line.endsWith('\n') ? `${sign}${line.slice(0, -1)}` : `${sign}${line}\n\\ No newline at end of file`;
}

/** Git quotes names with control characters, quotes or backslashes, as C does. */
function quotedPath(file: string): (side: 'a' | 'b') => string {
  const quoted = file.replaceAll(UNUSUAL, (sign) =>
    sign === '"' || sign === '\\' ? `\\${sign}` : `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return (side) => (quoted === file ? `${side}/${file}` : `"${side}/${quoted}"`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that git quotes
const UNUSUAL = /["\\\u0000-\u001f\u007f]/g;
