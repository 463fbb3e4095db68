/** Finds single test cases in the text of a test file, and takes them out of it without touching anything else. Pure. */
import type { RunnerName } from '../runners/runners.ts';
import { maskedCode } from './code-mask.ts';

type Runner = RunnerName;

export interface TestCase {
  /** As the runner reports it. */
  readonly name: string;
  /** Its own lines, from the first character to behind the last line's end. */
  readonly from: number;
  readonly to: number;
  /** What must stand in its place, so that the rest can be read. */
  readonly instead: string;
}

/** Longer files nobody reads, and reading them takes time that nothing else has. */
const LONGEST = 500_000;

/** The test cases that stand in lines of their own under a name that is written out, and hold no other test. */
export function testCasesIn(text: string, runner: Runner): readonly TestCase[] {
  return text.length > LONGEST ? [] : CASES[runner](text);
}

/** The text without these test cases; undefined when one of them is not there exactly once. */
export function withoutTests(text: string, names: readonly string[], runner: Runner): string | undefined {
  let left: string | undefined = text;
  for (const name of [...new Set(names)].sort()) left = left === undefined ? left : withoutTest(left, name, runner);
  return left;
}

function withoutTest(text: string, name: string, runner: Runner): string | undefined {
  const [found, ...more] = testCasesIn(text, runner).filter((test) => test.name === name);
  // A byte that is no UTF-8 would not come back as it was.
  if (found === undefined || more.length > 0 || text.includes('\uFFFD')) return undefined;
  const { from, to, instead } = found;
  const before = text.slice(0, from).replace(/(?<=\n)(?:[ \t\r]*\n)+$/, '');
  const after = text.slice(to);
  const isFirst = instead === '' && (before.trim() === '' || /[{([:]\s*$/.test(before));
  return `${before}${instead}${isFirst ? after.replace(/^(?:[ \t\r]*\n)+/, '') : after}`;
}

const CASES: Readonly<Record<Runner, (text: string) => readonly TestCase[]>> = {
  'node-test': scriptCases,
  vitest: scriptCases,
  jest: scriptCases,
  pytest: (text) => [...functionCases(text), ...pythonCases(text)],
  unittest: pythonCases,
  // Its tests may be of any language.
  junit: () => [],
};

interface Call {
  /** Undefined where the name is computed. */
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

const CALL = /(?<![\w$.])(?:[A-Za-z_$][\w$]*\.)?(?:test|it|describe|suite)(?:\.\w+)?\s*\(\s*/g;
const SUITE = /^(?:\w+\.)?(?:describe|suite)\b/;

function scriptCases(text: string): readonly TestCase[] {
  const masked = maskedCode(text, 'script');
  const calls = [...masked.matchAll(CALL)].flatMap(({ index, 0: opening }): readonly Call[] => {
    const to = closingOf(masked, index + opening.indexOf('('));
    return to === undefined ? [] : [{ name: nameAt(text, masked, index + opening.length), from: index, to }];
  });
  return calls.flatMap((call) => {
    const names = calls.filter((other) => other.from <= call.from && other.to >= call.to).map(({ name }) => name);
    const holds = calls.some((other) => other.from > call.from && other.to <= call.to);
    const lines = ownLines(masked, call);
    if (holds || lines === undefined || names.includes(undefined) || SUITE.test(masked.slice(call.from))) return [];
    return [{ name: names.join(' > '), ...lines, instead: '' }];
  });
}

/** A literal that is the whole first argument. */
function nameAt(text: string, masked: string, at: number): string | undefined {
  const quote = masked[at] ?? '';
  if (!/['"`]/.test(quote)) return undefined;
  const end = masked.indexOf(quote, at + 1);
  const name = text.slice(at + 1, end);
  return /^\s*,/.test(masked.slice(end + 1)) && !/\\|\$\{/.test(name) ? name : undefined;
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Behind the bracket that closes this one. */
function closingOf(masked: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < masked.length; at += 1) {
    const character = masked[at] ?? '';
    if (OPENING.includes(character)) depth += 1;
    if (CLOSING.includes(character)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** Undefined where something else stands on its first or last line. */
function ownLines(masked: string, { from, to }: Call): Pick<TestCase, 'from' | 'to'> | undefined {
  const start = masked.lastIndexOf('\n', from - 1) + 1;
  const rest = /^[ \t\r]*;?[ \t\r]*(?:\n|$)/.exec(masked.slice(to));
  const isAlone = /^\s*(?:(?:await|void)\s+)?$/.test(masked.slice(start, from));
  return isAlone && rest !== null ? { from: start, to: to + rest[0].length } : undefined;
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly indent: number;
  readonly code: string;
}

function pythonCases(text: string): readonly TestCase[] {
  const lines = logicalLines(maskedCode(text, 'python'));
  return lines.flatMap((line, index) => {
    const name = /^class\s+(\w+)/.exec(line.code)?.[1];
    const body = takenWhile(lines.slice(index + 1), ({ indent }) => indent > line.indent);
    return name === undefined ? [] : methodsOf(text, name, body);
  });
}

/** Tests of pytest that are functions of their file. */
function functionCases(text: string): readonly TestCase[] {
  const lines = logicalLines(maskedCode(text, 'python'));
  return casesIn(text, lines, 0).map(({ name, from, to }) => ({ name, from, to, instead: '' }));
}

function methodsOf(text: string, kind: string, body: readonly Line[]): readonly TestCase[] {
  const indent = body[0]?.indent ?? 0;
  return casesIn(text, body, indent).map(({ name, from, to, margin, lines }) => ({
    ...{ name: `${kind}.${name}`, from, to },
    instead: lines === body.length ? `${margin}pass\n` : '',
  }));
}

interface PythonCase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly margin: string;
  /** How many it has. */
  readonly lines: number;
}

/** Definitions of tests at this indent, each with its decorators and its body. */
function casesIn(text: string, body: readonly Line[], indent: number): readonly PythonCase[] {
  return body.flatMap((line, index): readonly PythonCase[] => {
    const name = /^(?:async\s+)?def\s+(test\w*)\s*\(/.exec(line.code)?.[1];
    if (name === undefined || line.indent !== indent) return [];
    const decorators = takenWhile(body.slice(0, index).reverse(), ({ code }) => code.startsWith('@'));
    const own = [...decorators, line, ...takenWhile(body.slice(index + 1), (inner) => inner.indent > indent)];
    const [from, to] = [Math.min(...own.map((part) => part.from)), Math.max(...own.map((part) => part.to))];
    return [{ name, from, to, margin: text.slice(line.from, line.from + indent), lines: own.length }];
  });
}

/** Lines with code; what goes on in brackets or behind a backslash belongs to the line that it began in. */
function logicalLines(masked: string): readonly Line[] {
  const lines: Line[] = [];
  let [from, depth, to] = [0, 0, 0];
  for (const physical of masked.split(/(?<=\n)/)) {
    to += physical.length;
    for (const character of physical)
      depth += Number(OPENING.includes(character)) - Number(CLOSING.includes(character));
    if (depth > 0 || /\\\r?\n$/.test(physical)) continue;
    const whole = masked.slice(from, to);
    const code = whole.trim();
    if (code !== '') lines.push({ from, to, indent: whole.search(/\S/), code });
    from = to;
  }
  return lines;
}

function takenWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): readonly Item[] {
  const end = items.findIndex((item) => !holds(item));
  return end < 0 ? items : items.slice(0, end);
}
