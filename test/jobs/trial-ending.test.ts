/** How the end of a command is told in the report of a trial. */
import { expect, test } from 'vitest';
import { endingOf, shown } from '../../src/jobs/trial/ending.ts';

const RESULT = {
  ...{ exitCode: 1, signal: undefined, timedOut: false, truncated: false },
  ...{ stdout: '', stderr: '', results: '', durationMs: 1200 },
};

test('a command that is green says nothing, whatever it printed', () => {
  expect(endingOf({ ...RESULT, exitCode: 0, stdout: 'ok\n' })).toEqual({
    ...{ outcome: 'passed', said: '', durationMs: 1200 },
  });
});

test.each([
  ['its exit code', { exitCode: 3 }, '[exit code 3]\n'],
  ['its signal', { exitCode: undefined, signal: 'SIGKILL' }, '[ended by SIGKILL]\n'],
  [
    'the seconds after which it was stopped',
    { exitCode: 137, timedOut: true, durationMs: 61_000 },
    '[not ended after 61 s]\n',
  ],
  ['that not all of it was kept', { truncated: true }, '[exit code 1, output cut]\n'],
])('a command that fails is told with %s', (_, ending, said) => {
  expect(endingOf({ ...RESULT, ...ending })).toMatchObject({ outcome: 'failed', said });
});

test('of two long outputs both ends are told, of a short and a long one the short one whole', () => {
  const long = (letter: string) => `${letter.repeat(9000)} end of ${letter}\n`;
  const both = endingOf({ ...RESULT, stdout: long('o'), stderr: long('e') }).said;
  expect(both).toMatch(/^\[exit code 1\]\n… o+ end of o\n… e+ end of e$/);
  expect(both).toHaveLength(4000);
  for (const [stdout, stderr] of [
    ['short\n', long('e')],
    [long('o'), 'short\n'],
  ] as const) {
    const { said } = endingOf({ ...RESULT, stdout, stderr });
    expect(said).toMatch(/\nshort(?:\n|$)/);
    expect(said).toHaveLength(4000);
  }
});

test('colours, control characters and what was drawn over are left out', () => {
  expect(shown('\u001b[31mred\u001b[0m\r\n10 %\r50 %\r100 %\r\n\tat\u0000 line 3\u0007\n\n')).toBe(
    'red\n100 %\n\tat line 3',
  );
});

test('what is too long loses its beginning, and no half of a character is left', () => {
  const text = shown(`x${'😀'.repeat(3000)}`);
  expect(text).toHaveLength(4000);
  expect(text).toMatch(/^… .*😀$/su);
  expect(text.isWellFormed()).toBe(true);
});
