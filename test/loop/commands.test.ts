import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS, type CommandName, mayUse, parseAnswers, parseCommands } from '../../src/loop/people/commands.ts';
import type { Role } from '../../src/loop/terms.ts';

describe('commands', () => {
  it.each([
    [['/approve'], [{ command: 'approve', argument: '' }]],
    [['/APPROVE  '], [{ command: 'approve', argument: '' }]],
    [['/reject plan: smaller steps'], [{ command: 'reject', argument: 'plan: smaller steps\nThanks' }]],
    [['/context'], [{ command: 'context', argument: 'Thanks' }]],
    [
      ['/answer 1b 2a', '/context look at src'],
      [
        { command: 'answer', argument: '1b 2a\nThanks' },
        { command: 'context', argument: 'look at src\nThanks' },
      ],
    ],
    [['/stop!', '/resume.', '/Pause...'], ['stop', 'resume', 'pause'].map((command) => ({ command, argument: '' }))],
    [['/lgtm', ' /approve', 'please /approve', '//approve', '/approved'], []],
    [['/approve!', '/approve.', '/approve?', '/release.', '/stop?', '/rerun.', '/status!?'], []],
    [['/constructor', '/toString'], []],
  ])('%j reads as %j', (lines, expected) => {
    expect(parseCommands(lines.map((line) => ({ line, below: 'Thanks' })))).toEqual(expected);
  });

  it('are read from nothing but the table', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        for (const { command } of parseCommands(lines.map((line) => ({ line, below: '' }))))
          expect(Object.keys(COMMANDS)).toContain(command);
      }),
    );
  });

  it.each<[CommandName, Role, boolean, boolean]>([
    ['approve', 'write', false, true],
    ['approve', 'triage', true, false],
    ['approve', 'none', true, false],
    ['answer', 'none', true, true],
    ['answer', 'read', false, false],
    ['accept', 'write', false, false],
    ['accept', 'maintain', false, true],
    ['status', 'read', false, true],
    ['status', 'none', false, false],
  ])('/%s by somebody with role %s (author: %s) is permitted: %s', (command, role, isAuthor, permitted) => {
    expect(mayUse(command, role, isAuthor)).toBe(permitted);
  });

  it.each([
    [
      '1b 2a',
      [
        { number: 1, answer: 'b' },
        { number: 2, answer: 'a' },
      ],
    ],
    [
      '1b 3: only on mobile',
      [
        { number: 1, answer: 'b' },
        { number: 3, answer: 'only on mobile' },
      ],
    ],
    [
      '1: yes, at once 2c',
      [
        { number: 1, answer: 'yes, at once' },
        { number: 2, answer: 'c' },
      ],
    ],
    ['2: see 1 of the list', [{ number: 2, answer: 'see 1 of the list' }]],
    [
      '1b\n3: both,\nin this order\n2a',
      [
        { number: 1, answer: 'b' },
        { number: 3, answer: 'both,\nin this order' },
        { number: 2, answer: 'a' },
      ],
    ],
    ['hello', []],
    ['9a', [{ number: 9, answer: 'a' }]],
    ['1z', [{ number: 1, answer: 'z' }]],
    [
      '1b 2z',
      [
        { number: 1, answer: 'b' },
        { number: 2, answer: 'z' },
      ],
    ],
    ['1: take 2x the size', [{ number: 1, answer: 'take 2x the size' }]],
    ['perhaps 2 x', []],
    ['1:', []],
    ['1: use a ratio of 2:1', [{ number: 1, answer: 'use a ratio of 2:1' }]],
    [
      '1: between 3:00 and 4:00 2: no',
      [
        { number: 1, answer: 'between 3:00 and 4:00' },
        { number: 2, answer: 'no' },
      ],
    ],
    [
      '1: yes\n2:no',
      [
        { number: 1, answer: 'yes' },
        { number: 2, answer: 'no' },
      ],
    ],
  ])('/answer %s reads as %j', (argument, expected) => {
    expect(parseAnswers(argument)).toEqual(expected);
  });
});
