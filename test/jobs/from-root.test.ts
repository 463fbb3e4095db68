/** Where a file is, told without the runner's own folders. */
import { expect, test } from 'vitest';
import { fromRoot } from '../../src/jobs/report/from-root.ts';

const PLACES = { workspace: '/place/of/the/workspace', scratch: '/place/of/the/scratch' };

test.each([
  ['at file:///place/of/the/scratch/trees/copy-Qw12Er/src/items.js:4:9', 'at src/items.js:4:9'],
  ['File "/place/of/the/scratch/trees/head-000000/shop/a.py", line 3', 'File "shop/a.py", line 3'],
  ['cannot open /place/of/the/workspace/src/items.js', 'cannot open src/items.js'],
  ['in /place/of/the/scratch/trees/copy-Qw12Er: nothing', 'in .: nothing'],
  ['at file:///place/of/the/scratch/run-0123456789abcdef/1-x.test.mjs:2', 'at runner/1-x.test.mjs:2'],
  ['wrote /place/of/the/scratch/health.cjs', 'wrote runner/health.cjs'],
  ['another folder /place/of/the/workspaces stays', 'another folder /place/of/the/workspaces stays'],
  ['/place/of/the/home/.npmrc stays', '/place/of/the/home/.npmrc stays'],
])('%s', (text, expected) => {
  expect(fromRoot(text, PLACES)).toBe(expected);
});
