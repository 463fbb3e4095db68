/** acceptance.md, which people approve: what goes in and what must come out, to the character. */
import { expect, test } from 'vitest';
import { stepLine } from '../../src/documents/plan-documents.ts';

const cli = (stdin: string | null, contains: readonly string[]) =>
  stepLine({
    type: 'cli',
    arguments: ['node', 'src/count.js', 'two words'],
    stdin,
    expected: { exitCode: 0, contains: [...contains], equals: null, matches: [], stderr: [] },
  });

test('line breaks of input and expected output stay to be read', () => {
  expect(cli('tea\ntea\n', ['tea 2\n'])).toBe(
    '`node src/count.js "two words"` with input `"tea\\ntea\\n"` exits 0, containing `"tea 2\\n"`',
  );
});

test('a value with backticks or blanks at its ends cannot be misread', () => {
  expect(cli(null, ['a `b`', ' 2'])).toBe('`node src/count.js "two words"` exits 0, containing `` a `b` ``, `" 2"`');
});

test('everything that is expected of a command is said', () => {
  const expected = { exitCode: 2, contains: ['tea'], equals: 'tea 2\n', matches: ['^tea \\d$'], stderr: ['usage'] };
  expect(stepLine({ type: 'cli', arguments: ['tally'], stdin: null, expected })).toBe(
    '`tally` exits 2, containing `tea`, exactly `"tea 2\\n"`, matching `^tea \\d$`, with `usage` on standard error',
  );
});

test('headers and bodies of a request are said', () => {
  const step = {
    type: 'http',
    method: 'POST',
    path: '/items',
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: '{\n "a": 1 }',
    expected: { status: 201, contains: [], json: [{ pointer: '/a', equals: '1' }] },
  } as const;
  expect(
    stepLine({
      ...step,
      headers: [...step.headers],
      expected: { ...step.expected, contains: [], json: [...step.expected.json] },
    }),
  ).toBe(
    '`POST /items` with `content-type: application/json` with input `"{\\n \\"a\\": 1 }"` answers 201, `/a` = `1`',
  );
});
