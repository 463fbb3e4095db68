/** What a test asserts, found by reading its lines. Pure. */
import { hasMoreArguments } from './more-arguments.ts';

const ASSERTS = new RegExp(
  [
    /\bassert\w*\b|\bexpect\s*\(|\.should\b|\bself\.(?:assert\w+|fail)\s*\(|\.raises\b|\braise\s+AssertionError/,
    // Of node:assert, by their own names or of another object.
    /\b(?:ok|fail|throws|rejects|doesNotThrow|doesNotReject|doesNotMatch|ifError|(?:not)?(?:[dD]eep|[sS]trict|[dD]eepStrict)?[eE]qual)\s*\(/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const TEST_START = /^\s*(?:(?:await\s+)?(?:\w+\.)?(?:test|it)\s*\(|(?:async\s+)?def\s+test\w*\s*\()/;
const CALLS = /\b([A-Za-z_$][\w$]*)\s*\(/g;

/**
 * Whether the test's own lines assert, or call something that the file declares and that asserts. The name is as the runner reports
 * it. Without the test's own lines (a computed name) the whole file counts; running the test on other trees is the real proof.
 */
export function hasAssertion(content: string, name: string): boolean {
  const lines = content.split('\n');
  const own = ownLines(lines, name);
  if (own === undefined) return ASSERTS.test(content);
  return ASSERTS.test(own) || callsOf(own).some((called) => assertsIn(lines, called));
}

/** What tests call to be tests, and what any code calls. */
const OF_ANY =
  /^(?:test|it|def|describe|expect|assert\w*|ok|fail|not\w*|throws|rejects|equals?|deep\w*|strict\w*|to[A-Z]\w*|raises|range|len|list|dict|set|tuple|str|int|float|bool|sorted|repr|type|isinstance|print|String|Number|Boolean|Array|Object|Promise|Error|map|filter|forEach|push|join|keys|values|entries|then|import|require|function|for|if|while|switch|catch|async|super)$/;

/** What a test calls in its own lines, or in those of a function of the file that it calls, but for what any code does. */
export function calledBy(content: string, name: string): ReadonlySet<string> {
  const lines = content.split('\n');
  const ownCalls = (text: string) => callsOf(text).filter((called) => !OF_ANY.test(called) && !/^test_/.test(called));
  const own = ownCalls(ownLines(lines, name.replace(/\[.*\]$/s, '')) ?? '');
  return new Set(own.flatMap((called) => [called, ...ownCalls(declaredLines(lines, called) ?? '')]));
}

/** Also the end of an assertion that began lines before. */
const ASSERTING_LINE =
  /\.(?:not|resolves|rejects|to[A-Z]\w*|be|equals?|deepEqual|throws|matche?s?|is[A-Z]\w*|has[A-Z]\w*)\b/;

/** The lines in which a test asserts, trimmed; those of the whole file where its own cannot be told. */
export function assertingLines(content: string, name: string): readonly string[] {
  return assertingLinesIn(ownLines(content.split('\n'), name.replace(/\[.*\]$/s, '')) ?? content);
}

/** The same of a whole text. */
export function assertingLinesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => ASSERTS.test(line) || ASSERTING_LINE.test(line));
}

/** How many statements of a test assert, where they end with their line or a semicolon; of the whole file where its own lines cannot be told. */
export function assertionCount(content: string, name: string): number {
  const own = ownLines(content.split('\n'), name.replace(/\[.*\]$/s, '')) ?? content;
  return own.split(/[;\n]/).filter((statement) => ASSERTS.test(statement)).length;
}

/** What may be asked with more: the product, and no assertion. */
const mayTakeMore = (callee: string): boolean =>
  !ASSERTS.test(`${callee}(`) && !ASSERTING_LINE.test(`.${callee}`) && !OF_ANY.test(callee);

/** Whether each of the asserting lines is there still, as often: as it was, or with more arguments for what it calls. */
export function assertsAsMuch(now: readonly string[], asked: readonly string[]): boolean {
  const left = [...now];
  const take = (isIt: (line: string) => boolean): boolean => {
    const place = left.findIndex(isIt);
    return place >= 0 && left.splice(place, 1).length > 0;
  };
  const others = asked.filter((line) => !take((one) => one === line));
  return others.every((line) => take((one) => hasMoreArguments(one, line, mayTakeMore)));
}

/** From the line that declares the test to the next test. Several classes and suites of a file may have one of the name: it is looked for in its own. */
function ownLines(lines: readonly string[], name: string): string | undefined {
  const method = /^(\w+)\.(\w+)$/.exec(name);
  const titles = name.split(' > ');
  const last = titles.at(-1) ?? name;
  const isNamed = (line: string) => line.includes(last) || (method !== null && line.includes(`def ${method[2]}(`));
  const around = method === null ? titles.slice(0, -1) : [`class ${method[1]}`];
  const from = around.reduce(
    (at, title) =>
      Math.max(
        at,
        indexFrom(lines, at, (line) => line.includes(title)),
      ),
    0,
  );
  const declares = (line: string) => TEST_START.test(line) && isNamed(line);
  // A title may stand on the line after, and a method in a class that is inherited.
  const places = [indexFrom(lines, from, declares), indexFrom(lines, 0, declares), indexFrom(lines, from, isNamed)];
  const start = places.find((place) => place >= 0);
  return start === undefined ? undefined : untilNext(lines, start, (line) => TEST_START.test(line));
}

function indexFrom(lines: readonly string[], from: number, isIt: (line: string) => boolean): number {
  return lines.findIndex((line, index) => index >= from && isIt(line));
}

function untilNext(lines: readonly string[], start: number, isNext: (line: string) => boolean): string {
  const next = indexFrom(lines, start + 1, isNext);
  return lines.slice(start, next < 0 ? undefined : next).join('\n');
}

function callsOf(text: string): readonly string[] {
  return [...text.matchAll(CALLS)].map((match) => match[1] ?? '');
}

function assertsIn(lines: readonly string[], called: string): boolean {
  return ASSERTS.test(declaredLines(lines, called) ?? '');
}

/** Of what the file declares by this name. */
function declaredLines(lines: readonly string[], called: string): string | undefined {
  const declares = new RegExp(`\\b(?:function|const|let|def)\\s+${RegExp.escape(called)}\\b`);
  const start = lines.findIndex((line) => declares.test(line));
  if (start < 0) return undefined;
  return untilNext(lines, start, (line) => TEST_START.test(line) || /^\S.*\b(?:function|def)\b/.test(line));
}
