import { describe, expect, it } from 'vitest';
import { GHOST, idOf, isPerson, nameOf } from '../../src/loop/terms.ts';

describe('a person', () => {
  it.each([
    ['an account of the type User', { id: 7, login: 'maria', type: 'User' }, true],
    ['a bot', { id: 8, login: 'dependabot[bot]', type: 'Bot' }, false],
    ['an organization', { id: 9, login: 'acme', type: 'Organization' }, false],
    ['the stand-in for a deleted account', GHOST, false],
    ['somebody who is called like the stand-in', { ...GHOST, id: 7 }, true],
  ] as const)('is %s: %j, %s', (_, actor, expected) => {
    expect(isPerson(actor)).toBe(expected);
  });
});

describe('a loop', () => {
  const ref = { installationId: 1, repositoryId: 42, owner: 'acme', repo: 'shop', issue: 12, n: 1 };

  it('is called by its issue, and from the second of an issue on by its number too', () => {
    expect([nameOf(ref), nameOf({ ...ref, n: 2 })]).toEqual(['acme/shop#12', 'acme/shop#12-2']);
  });

  it('is kept under an id that outlives the name of its repository', () => {
    expect(idOf(ref)).toBe('42/12/1');
    expect(idOf({ ...ref, owner: 'else', repo: 'where', installationId: 2 })).toBe(idOf(ref));
    expect(idOf({ ...ref, n: 2 })).toBe('42/12/2');
  });
});
