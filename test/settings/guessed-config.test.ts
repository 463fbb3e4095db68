import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/context/repository-config.ts';
import { guessedConfig, isUnfinished } from '../../src/settings/guessed-config.ts';

const PYTEST = { runner: 'pytest', test: 'python3 -m pytest' } as const;
const UNITTEST = { runner: 'unittest', test: 'python3 -m unittest discover' } as const;
const GUESSES = [PYTEST, UNITTEST];
const unseen = (why: string) => guessedConfig([], { ...PYTEST, unseen: why });

test('a runner that was not seen to work stands there as a comment with the reason, so that the configuration is refused until somebody decides', () => {
  expect(unseen('pytest is not installed here; install it')).toMatchInlineSnapshot(`
    "version: 1
    commands:
      test: python3 -m pytest
      # runner: pytest   # not seen to work: pytest is not installed here; install it
      # A product that is asked over HTTP needs what starts it (its port is in $PORT), and a path that answers 200 when it is ready:
      # start: python3 app.py
      # health: /
    "
  `);
  expect(() => parseConfig(unseen('it is not installed'))).toThrow('"commands.runner" must be node-test, ');
  expect(parseConfig(guessedConfig([], PYTEST)).commands).toMatchObject(PYTEST);
});

test('a command stands there so that YAML reads it back, whatever is in it', () => {
  const said = (command: string) => parseConfig(guessedConfig([], { runner: 'vitest', test: command })).commands.test;
  for (const command of ['FOO="a: b" npx vitest run', 'npx vitest run # once', 'npm run test:unit', 'a\n  install: x'])
    expect(said(command)).toBe(command);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.trim() !== ''),
      (command) => {
        expect(said(command)).toBe(command);
      },
    ),
  );
});

test('a reason is one line, whatever a tool said', () => {
  expect(unseen('two\nlines').split('\n')).toHaveLength(8);
});

test('what was written with any reason is known again, for each runner that could have been guessed', () => {
  expect(isUnfinished(unseen('it is not installed'), [], GUESSES)).toBe(true);
  expect(isUnfinished(guessedConfig([], { ...UNITTEST, unseen: 'no test' }), [], GUESSES)).toBe(true);
});

test.each([
  ['has its runner', guessedConfig([], PYTEST)],
  ['has another command', unseen('x').replace('python3 -m pytest', 'tox')],
  ['has more keys', `${unseen('x')}promotion: person\n`],
  ['has the comment taken out', unseen('x').replace(/ {2}# runner.*\n/, '')],
  ['has another runner named by hand', unseen('x').replace('# runner: pytest', '# runner: jest')],
])("a file that %s is somebody's own", (_, text) => {
  expect(isUnfinished(text, [], GUESSES)).toBe(false);
});
