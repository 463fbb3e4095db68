/** What a failed try of an effect means, kind by kind and try by try. */
import { describe, expect, test } from 'vitest';
import { meaningOf } from '../../src/engine/failures.ts';
import {
  ArtifactError,
  ConfigError,
  GoneError,
  LimitedError,
  ModelError,
  NotYetError,
  RelocatedError,
  UnansweredError,
  WriteRefusedError,
} from '../../src/errors.ts';
import { EFFECTS } from '../../src/loop/effect.ts';

const words = 'GitHub answered 404 to GET /repos/acme/shop: Not Found';

/** What the try means after so many that failed by the same kind, and after a thousand of every other kind. */
function meant(error: unknown, earlier: number, kind: string, type: 'publish' | 'reply' = 'publish') {
  const others = Object.fromEntries(
    ['unanswered', 'gone', 'not yet', 'limited', 'unexpected'].map((other) => [other, 1000]),
  );
  return meaningOf(error, type, { failed: { ...others, [kind]: earlier } });
}

describe('meaningOf', () => {
  test.each([
    ['a model that gave no answer', new ModelError('No answer.', []), 'model'],
    ['a configuration that is wrong', new ConfigError('Line 4.'), 'setup'],
    ['an artifact that cannot be trusted', new ArtifactError('Forged.'), 'safety'],
    ['a write that GitHub refuses', new WriteRefusedError('Protected branch.'), 'setup'],
    ['what GitHub took down', new GoneError(words, { status: 451 }), 'setup'],
    ['what GitHub deleted', new GoneError(words, { status: 410 }), 'setup'],
  ] as const)('takes %s for final at once', (_, error, cause) => {
    expect(meaningOf(error, 'publish', { failed: {} })).toMatchObject({
      means: 'refused',
      cause,
      reason: error.message,
    });
  });

  test('asks for what GitHub does not have after 5 s and after 20 s, whatever failed before, and then tells it in the words of GitHub', () => {
    const gone = new GoneError(words, { status: 404, cause: new Error('Not Found') });
    expect(meant(gone, 0, 'gone')).toEqual({ means: 'again', kind: 'gone', seconds: 5 });
    expect(meant(gone, 1, 'gone')).toEqual({ means: 'again', kind: 'gone', seconds: 15 });
    expect(meant(gone, 2, 'gone')).toMatchObject({ means: 'refused', cause: 'setup', reason: words, isGone: true });
  });

  test.each([
    ['publish', 24],
    ['reply', 1],
  ] as const)(
    'asks a GitHub that does not answer to %s for %i h, a minute apart, and then tells what was asked',
    (type, hours) => {
      const unanswered = new UnansweredError('GitHub answered 502 to POST /x.');
      expect(meant(unanswered, 0, 'unanswered', type)).toMatchObject({ means: 'again', kind: 'unanswered' });
      expect(meant(unanswered, hours * 60 - 2, 'unanswered', type)).toMatchObject({ means: 'again' });
      expect(meant(unanswered, hours * 60 - 1, 'unanswered', type)).toMatchObject({
        means: 'refused',
        reason: unanswered.message,
      });
    },
  );

  test('waits for a GitHub that takes no more requests until it says it does', () => {
    const limited = new LimitedError('GitHub answered 403: API rate limit exceeded', 2400);
    for (const earlier of [0, 10_000])
      expect(meant(limited, earlier, 'limited')).toEqual({ means: 'again', kind: 'limited', seconds: 2400 });
  });

  test('looks for a repository that is called otherwise by now', () => {
    expect(meaningOf(new RelocatedError('Moved permanently.'), 'publish', { failed: {} })).toEqual({
      means: 'relocated',
    });
  });

  test('leaves to the patrol what GitHub told and does not say yet', () => {
    const notYet = new NotYetError('Run 7 is still called in_progress.');
    expect(meant(notYet, 0, 'not yet')).toMatchObject({ means: 'again', kind: 'not yet' });
    expect(meant(notYet, 7, 'not yet')).toEqual({ means: 'dropped', reason: notYet.message });
  });

  test('gives up on what nobody expected after a few tries, and says that it is our own fault', () => {
    const broken = new TypeError('x is not a function');
    expect(meant(broken, 0, 'unexpected')).toMatchObject({ means: 'again', kind: 'unexpected' });
    expect(meant(broken, 5, 'unexpected')).toMatchObject({
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
      [
        'draft',
        'publish',
        'dispatch',
        'collect',
        'land',
        'promote',
        'inspect',
        'ready',
        'redraft',
        'wait',
        'ask',
      ].sort(),
    );
  });
});
