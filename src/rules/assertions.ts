/** What a test asserts, found by reading its lines. Pure. */

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

/** What a test calls in its own lines, but for what any does. */
export function calledBy(content: string, name: string): ReadonlySet<string> {
  const own = ownLines(content.split('\n'), name.replace(/\[.*\]$/s, '')) ?? '';
  return new Set(callsOf(own).filter((called) => !OF_ANY.test(called) && !/^test_/.test(called)));
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

/** From the line that declares the test to the next test. */
function ownLines(lines: readonly string[], name: string): string | undefined {
  const last = name.split(' > ').at(-1) ?? name;
  const method = /^\w+\.(\w+)$/.exec(name)?.[1];
  const isNamed = (line: string) => line.includes(last) || (method !== undefined && line.includes(`def ${method}(`));
  const declared = lines.findIndex((line) => TEST_START.test(line) && isNamed(line));
  // A title may stand on the line after.
  const start = declared < 0 ? lines.findIndex(isNamed) : declared;
  if (start < 0) return undefined;
  const next = lines.findIndex((line, index) => index > start && TEST_START.test(line));
  return lines.slice(start, next < 0 ? undefined : next).join('\n');
}

function callsOf(text: string): readonly string[] {
  return [...text.matchAll(CALLS)].map((match) => match[1] ?? '');
}

function assertsIn(lines: readonly string[], called: string): boolean {
  const declares = new RegExp(`\\b(?:function|const|let|def)\\s+${called.replaceAll('$', '\\$')}\\b`);
  const start = lines.findIndex((line) => declares.test(line));
  if (start < 0) return false;
  const next = lines.findIndex(
    (line, index) => index > start && (TEST_START.test(line) || /^\S.*\b(?:function|def)\b/.test(line)),
  );
  return ASSERTS.test(lines.slice(start, next < 0 ? undefined : next).join('\n'));
}
