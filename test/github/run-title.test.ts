import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRunTitle, runTitle } from '../../src/github/run-title.ts';
import { idOf, nameOf } from '../../src/loop/terms.ts';
import { WORKFLOWS } from '../../src/settings/config.ts';

const ref = { installationId: 1, repositoryId: 7, owner: 'acme', repo: 'web-shop-2', issue: 12, n: 1 };

test.each([1, 2, 30])("a run is found by its title, and finds its loop by it: the issue's loop %i", (n) => {
  const inputs = { loop: nameOf({ ...ref, n }), entry: '5', phase: 'VERIFY' };
  const found = readRunTitle(runTitle(WORKFLOWS.verify, inputs));
  expect(found).toEqual({ issue: 12, n, entry: 5 });
  expect(idOf({ ...ref, ...found })).toBe(`7/12/${n}`);
});

test.each(Object.values(WORKFLOWS))('%s calls its runs so', (file) => {
  const [, runName = ''] = /^run-name: (.+)$/m.exec(readFileSync(`config/workflows/${file}`, 'utf8')) ?? [];
  const inputs = { loop: 'acme/shop#12', entry: '5', phase: 'BUILD' };
  const called = runName.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: keyof typeof inputs) => inputs[name]);
  expect(called).toBe(runTitle(file, inputs));
});

test.each([
  'CI',
  '',
  'loopwright-build acme/shop entry 5 (BUILD)',
  'loopwright-build a/b#99999999999 entry 1 (BUILD)',
  'my loopwright-build a/b#1 entry 1 (BUILD)',
])('any other title names no loop: %j', (title) => {
  expect(readRunTitle(title)).toBeUndefined();
});
