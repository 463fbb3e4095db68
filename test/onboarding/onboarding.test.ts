import { describe, expect, it } from 'vitest';
import { asked, isDue, type Onboarding } from '../../src/onboarding/onboarding.ts';

const ASK = { installationId: 5, repositoryId: 7, owner: 'acme', repo: 'shop', at: '2026-03-02T09:00:00.000Z' };
const BASE = 'b'.repeat(40);
const RUN = { id: 9, until: '2026-03-02T10:00:00.000Z' };

function known(more: Partial<Onboarding>): Onboarding {
  return { ...ASK, at: '2026-03-01T09:00:00.000Z', stage: 'waiting', trials: 2, unasked: 5, ...more };
}

describe('an onboarding that is asked for', () => {
  it('begins from nothing', () => {
    expect(asked(undefined, ASK)).toEqual({ ...ASK, stage: 'asked', trials: 0, unasked: 0 });
  });

  it('goes on with its branch and pull request, and may try its base again as often as at first, though it did not move', () => {
    const next = asked(known({ branch: { sha: BASE, base: BASE }, pull: 4, base: BASE }), ASK);
    expect(next).toEqual({ ...ASK, stage: 'asked', branch: { sha: BASE, base: BASE }, pull: 4, trials: 2, unasked: 0 });
  });

  it('keeps what speaks against its base until another trial says something else', () => {
    const red = { base: BASE, says: 'The base is red.' };
    expect(asked(known({ red }), ASK).red).toEqual(red);
  });

  it('gets another pull request where somebody had closed the first', () => {
    expect(asked(known({ stage: 'declined', pull: 4 }), ASK).pull).toBeUndefined();
  });

  it('never counts a trial anew: its name in GitHub would be that of an older run', () => {
    for (const stage of ['asked', 'waiting', 'trying', 'ready', 'declined'] as const)
      expect(asked(known({ stage }), ASK).trials).toBe(2);
  });

  it('waits for the run that is under way, where the repository is now', () => {
    const trying = known({ stage: 'trying', base: BASE, run: RUN });
    expect(asked(trying, { ...ASK, repo: 'store' })).toEqual({ ...trying, ...ASK, repo: 'store', unasked: 0 });
  });

  it('knows of a pull request that it was told to be unneeded', () => {
    expect(asked(known({ stage: 'ready', pull: 4, unneeded: true }), ASK)).toMatchObject({ pull: 4, unneeded: true });
  });
});

it('an onboarding is due where the App itself has the next step', () => {
  const due = [
    known({ stage: 'asked' }),
    known({ stage: 'trying' }),
    known({ preview: 'asked' }),
    known({ stage: 'declined', preview: 'asked' }),
  ];
  const others = [
    known({}),
    known({ stage: 'trying', run: RUN }),
    known({ stage: 'ready' }),
    known({ stage: 'declined' }),
  ];
  expect([due.map(isDue), others.map(isDue)]).toEqual([due.map(() => true), others.map(() => false)]);
});
