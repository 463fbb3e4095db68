import { expect, test } from 'vitest';
import { suiteEnding } from '../../src/cli/init-trial.ts';

const ended = { exitCode: 1, signal: undefined, timedOut: false, stdout: '', stderr: '', durationMs: 2000 };

test.each([
  [
    'node:test, which ends with brackets',
    {
      stdout:
        "✖ failing tests:\n\n✖ it\n  AssertionError [ERR_ASSERTION]: 1 !== 2\n  {\n    code: 'ERR_ASSERTION'\n  }\n\n",
    },
    'AssertionError [ERR_ASSERTION]: 1 !== 2',
  ],
  [
    'pytest',
    { stdout: 'E   assert 1 == 2\nFAILED tests/test_it.py::test_it - assert 1 == 2\n1 failed\n' },
    'FAILED tests/test_it.py::test_it - assert 1 == 2',
  ],
  ['a tool that names no failure', { stderr: 'make: nothing to do\n---\n' }, 'make: nothing to do'],
])('of a red suite the line is told that says most: %s', (_, output, line) => {
  expect(suiteEnding({ ...ended, ...output })).toBe(`red, exit code 1: ${line}`);
});

test('a suite that says nothing is told by how it ended', () => {
  expect(suiteEnding(ended)).toBe('red, exit code 1');
  expect(suiteEnding({ ...ended, exitCode: undefined, signal: 'SIGKILL' })).toBe('red, ended by SIGKILL');
});
