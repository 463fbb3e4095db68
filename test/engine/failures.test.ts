/** What a failed try of an effect means, kind by kind and try by try. */
import { describe, expect, test } from 'vitest';
import { EFFECTS } from '../../src/engine/effects.ts';
import { meaningOf } from '../../src/engine/failures.ts';
import {
  ArtifactError,
  ConfigError,
  GoneError,
  ModelError,
  NotYetError,
  RelocatedError,
  UnansweredError,
  WriteRefusedError,
} from '../../src/errors.ts';

const words = 'GitHub answered 404 to GET /repos/acme/shop: Not Found';

describe('meaningOf', () => {
  test.each([
    ['a model that gave no answer', new ModelError('No answer.', []), 'model'],
    ['a configuration that is wrong', new ConfigError('Line 4.'), 'setup'],
    ['an artifact that cannot be trusted', new ArtifactError('Forged.'), 'safety'],
    ['a write that GitHub refuses', new WriteRefusedError('Protected branch.'), 'setup'],
    ['what GitHub took down', new GoneError(words, { status: 451 }), 'setup'],
    ['what GitHub deleted', new GoneError(words, { status: 410 }), 'setup'],
  ] as const)('takes %s for final at once', (_, error, cause) => {
    expect(meaningOf(error, 1)).toMatchObject({ means: 'refused', cause, reason: error.message });
  });

  test('asks for what GitHub does not have after 5 s and after 20 s, and then tells it in the words of GitHub', () => {
    const gone = new GoneError(words, { status: 404, cause: new Error('Not Found') });
    expect(meaningOf(gone, 1)).toEqual({ means: 'again', seconds: 5 });
    expect(meaningOf(gone, 2)).toEqual({ means: 'again', seconds: 15 });
    expect(meaningOf(gone, 3)).toMatchObject({ means: 'refused', cause: 'setup', reason: words, isGone: true });
  });

  test('asks a GitHub that does not answer for as long as it takes', () => {
    for (const attempt of [1, 10, 1000])
      expect(meaningOf(new UnansweredError('No answer.'), attempt)).toEqual({ means: 'again' });
  });

  test('looks for a repository that is called otherwise by now', () => {
    expect(meaningOf(new RelocatedError('Moved permanently.'), 1)).toEqual({ means: 'relocated' });
  });

  test('leaves to the patrol what GitHub told and does not say yet', () => {
    const notYet = new NotYetError('Run 7 is still called in_progress.');
    expect(meaningOf(notYet, 1)).toEqual({ means: 'again' });
    expect(meaningOf(notYet, 8)).toEqual({ means: 'dropped', reason: notYet.message });
  });

  test('gives up on what nobody expected after a few tries, and says that it is our own fault', () => {
    const broken = new TypeError('x is not a function');
    expect(meaningOf(broken, 1)).toEqual({ means: 'again' });
    expect(meaningOf(broken, 6)).toMatchObject({
      means: 'refused',
      cause: 'setup',
      reason: 'Loopwright itself failed: x is not a function',
    });
  });
});

describe('the table of effects', () => {
  test('tells people of every effect that a phase waits for, and drops those that only speak', () => {
    const failed = Object.entries(EFFECTS).filter(([, { refused }]) => refused === 'failed');
    expect(failed.map(([type]) => type).sort()).toEqual(
      ['draft', 'publish', 'dispatch', 'collect', 'land', 'promote', 'inspect', 'ready', 'wait', 'ask'].sort(),
    );
  });
});
