import { expect, it } from 'vitest';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { asBuilt, asReviewed, asStarted, StageError } from '../../src/loop/stages.ts';
import { atReview, building, started } from './stands.ts';
import { REF } from './world.ts';

const candidate = { sha: 'd'.repeat(40), codeTree: 'e'.repeat(40), entry: 5 };
const built: Loop = { ...building(), built: { reports: {}, candidate } };

it.each<[string, (loop: Loop) => Loop, Loop, Loop, string]>([
  ['started', asStarted, started(), newLoop(REF), 'the loop of issue #12 was never started; label the issue `loop`'],
  [
    'reviewed',
    asReviewed,
    atReview(),
    started(),
    'the loop of issue #12 has no pull request yet; `/rerun PLAN` makes its packet',
  ],
  ['built', asBuilt, built, atReview(), 'the loop of issue #12 has no candidate yet; `/rerun` builds one'],
])(
  'a loop is taken as %s only when it is, and otherwise the message says what to do',
  (_, as, there, before, words) => {
    expect(as(there)).toBe(there);
    expect(() => as(before)).toThrow(new StageError(words));
  },
);
