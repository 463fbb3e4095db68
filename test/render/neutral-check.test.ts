import { describe, expect, it } from 'vitest';
import type { CheckRun } from '../../src/loop/check-run.ts';
import { type Grouped, inMergeGroup } from '../../src/render/neutral-check.ts';

const NAME = 'loopwright / evidence';
const PLACE = { repositoryId: 7, headSha: '2'.repeat(40) };

const own = (said: Partial<CheckRun>): CheckRun => ({
  ...{ name: NAME, headSha: '1'.repeat(40), externalId: 'x', summary: '', text: '', actions: [], annotations: [] },
  ...{ status: 'completed', conclusion: 'success', title: 'Proved' },
  ...said,
});
const ofLoop = (said: Partial<CheckRun>): Grouped => ({ kind: 'loop', pull: 12, own: own(said) });

describe('a merge group of a loop’s pull request', () => {
  it.each<[string, Partial<CheckRun>]>([
    ['success', {}],
    ['neutral', { conclusion: 'neutral', title: 'Void: main has moved' }],
  ])('is neutral where the loop says %s, and never a success: its tree was not judged', (_, said) => {
    const check = inMergeGroup(NAME, ofLoop(said), PLACE);
    expect(check).toMatchObject({ conclusion: 'neutral', title: 'Judged on #12, not here', headSha: PLACE.headSha });
    expect(check.summary).toBe(
      `\`${NAME}\` of pull request #12 says "${said.title ?? 'Proved'}" on its own head \`1111111\`; this merge group is another tree, which was not judged.`,
    );
  });

  it.each<[string, Partial<CheckRun>]>([
    ['failure', { conclusion: 'failure', title: 'Not every gate was passed' }],
    ['cancelled', { conclusion: 'cancelled', title: 'Not reached' }],
    ['nothing yet', { status: 'in_progress', conclusion: undefined, title: 'At work' }],
  ])('is no way round the loop where that says %s', (_, said) => {
    expect(inMergeGroup(NAME, ofLoop(said), PLACE)).toMatchObject({
      conclusion: 'failure',
      title: 'Not passed on #12',
      summary: `\`${NAME}\` of pull request #12 says "${said.title}" on its own head \`1111111\`, which is no pass; its merge group cannot be one either.`,
    });
  });

  it('whose proof somebody asked for says that it stands there', () => {
    expect(inMergeGroup('loopwright / proof', { kind: 'proof', pull: 12 }, PLACE)).toMatchObject({
      conclusion: 'neutral',
      title: 'Judged on #12, not here',
    });
  });

  it.each([
    ['loopwright / proof', 'Nobody has asked for a proof of pull request #12'],
    ['loopwright / setup', 'Pull request #12 does not set the repository up'],
    [NAME, "Pull request #12 is no loop's"],
  ])('with which `%s` has nothing to do says why', (name, why) => {
    expect(inMergeGroup(name, { kind: 'other', pull: 12 }, PLACE)).toMatchObject({
      conclusion: 'neutral',
      summary: `${why}, so there is nothing to judge in its merge group.`,
    });
  });
});
