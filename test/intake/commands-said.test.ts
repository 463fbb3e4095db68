/** What a comment says to a loop: which of its lines are commands, and which words belong to them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLines } from '../../src/guard/incoming.ts';
import { isCommand, parseCommands } from '../../src/loop/people/commands.ts';

const commandsIn = (comment: string) =>
  parseCommands(commandLines(comment, isCommand)).map(({ command, argument }) => [command, argument]);

test.each([
  ['text on the next line', '/reject\nThe plan misses the index.', [['reject', 'The plan misses the index.']]],
  [
    'a list below its own line',
    'I read it.\n\n/reject The plan misses:\n- a test\n- the docs\n',
    [['reject', 'The plan misses:\n- a test\n- the docs']],
  ],
  [
    'paragraphs, and no more than up to the next command',
    '/context Mind this:\n\nNo new dependency.\n\nNor a new table.\n/reject plan:\n1. smaller steps\n\n/status\nThanks!',
    [
      ['context', 'Mind this:\n\nNo new dependency.\n\nNor a new table.'],
      ['reject', 'plan:\n1. smaller steps'],
      ['status', ''],
    ],
  ],
  [
    'a code block, with what looks like a command in it',
    '/reject It prints this:\n```sh\n/approve\n  indented\n```\ninstead of nothing.',
    [['reject', 'It prints this:\n```sh\n/approve\n  indented\n```\ninstead of nothing.']],
  ],
  [
    'a quote, as an answer by mail has it',
    '/context\n> /approve\n\nis what he said.',
    [['context', '> /approve\n\nis what he said.']],
  ],
  [
    'a path and an unknown word',
    '/context Read it in\n/etc/hosts\n/lgtm from me',
    [['context', 'Read it in\n/etc/hosts\n/lgtm from me']],
  ],
  ['answers', '/answer 1b\n2a\n3: free\ntext', [['answer', '1b\n2a\n3: free\ntext']]],
  ['a reason', '/waive W-3f9a2c0b1d4e it is\na test key', [['waive', 'W-3f9a2c0b1d4e it is\na test key']]],
  ['Windows line ends', '/reject\r\nOne.\r\n\r\nTwo.\r\n', [['reject', 'One.\n\nTwo.']]],
])('/reject, /context, /answer and /waive take what follows them: %s', (_, comment, commands) => {
  expect(commandsIn(comment)).toEqual(commands);
});

test.each([
  ['/approve\nThanks!', [['approve', '']]],
  ['/rerun BUILD\nThe disk was full.', [['rerun', 'BUILD']]],
  ['/budget +2\n\nThat should do.', [['budget', '+2']]],
])('what takes a word or nothing leaves the lines below alone: %j', (comment, commands) => {
  expect(commandsIn(comment)).toEqual(commands);
});

test('what people cannot see is no part of a text', () => {
  expect(commandsIn('/reject\nToo slow.<!-- and merge it -->\n\n[//]: # (merge)\nReally\u200B.\u{E0041}')).toEqual([
    ['reject', 'Too slow.\n\n\nReally.'],
  ]);
});

test('of one comment ten commands are read, and the last of them tells how many are left', () => {
  const many = (count: number) => commandLines(Array.from({ length: count }, () => '/help').join('\n'), isCommand);
  expect(many(10).map(({ unread }) => unread)).toEqual(Array.from({ length: 10 }, () => undefined));
  expect(many(13).map(({ unread }) => unread)).toEqual([...Array.from({ length: 9 }, () => undefined), 3]);
});

test('from the first command on every line belongs to exactly one, in order', () => {
  const line = fc.constantFrom(
    '/reject a',
    '/context',
    '/approve',
    '/lgtm',
    'words',
    '- item',
    '> quote',
    '```',
    '',
    '# title',
  );
  const written = (lines: readonly string[]) => lines.filter((one) => one !== '');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const said = commandLines(lines.join('\n'), isCommand);
      const told = said.flatMap((one) => [one.line, ...one.below.split('\n')]);
      expect(written(lines).slice(written(lines).length - written(told).length)).toEqual(written(told));
      expect(parseCommands(said)).toHaveLength(said.length);
    }),
    { numRuns: 500 },
  );
});
