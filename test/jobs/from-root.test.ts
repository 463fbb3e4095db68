/** Where a file is, told without the runner's own folders. */
import { expect, test } from 'vitest';
import { fromRoot } from '../../src/jobs/from-root.ts';

const PLACES = { workspace: '/home/runner/work/shop/shop', scratch: '/tmp/loopwright-job-aB3xYz' };

test.each([
  ['at file:///tmp/loopwright-job-aB3xYz/trees/copy-Qw12Er/src/items.js:4:9', 'at src/items.js:4:9'],
  ['File "/tmp/loopwright-job-aB3xYz/trees/head-000000/shop/a.py", line 3', 'File "shop/a.py", line 3'],
  ['cannot open /home/runner/work/shop/shop/src/items.js', 'cannot open src/items.js'],
  ['in /tmp/loopwright-job-aB3xYz/trees/copy-Qw12Er: nothing', 'in .: nothing'],
  ['at file:///tmp/loopwright-job-aB3xYz/run-0123456789abcdef/1-x.test.mjs:2', 'at runner/1-x.test.mjs:2'],
  ['wrote /tmp/loopwright-job-aB3xYz/health.cjs', 'wrote runner/health.cjs'],
  ['another folder /home/runner/work/shop/shopping stays', 'another folder /home/runner/work/shop/shopping stays'],
  ['/tmp/home/.npmrc stays', '/tmp/home/.npmrc stays'],
])('%s', (text, expected) => {
  expect(fromRoot(text, PLACES)).toBe(expected);
});
