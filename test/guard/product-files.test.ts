import { expect, it } from 'vitest';
import { bearsOnProof, isForPeople } from '../../src/guard/product-files.ts';

it.each([
  'src/a.ts',
  'package-lock.json',
  'test/a.test.js',
  // What the product is made of may be a document.
  'skills/ground-rules.md',
  'src/docs/index.ts',
  'src/changelog.js',
  'docs/conf.py',
  '.github/loopwright.yml',
  '.github/actions/loopwright-setup/action.yml',
  'README',
])('%s bears on what was proved', (path) => {
  expect(bearsOnProof(path)).toBe(true);
});

it.each([
  'README.md',
  'docs/guide.md',
  'docs/a/b.rst',
  'LICENSE',
  'CODEOWNERS',
  '.github/workflows/ci.yml',
  '.github/dependabot.yml',
])('%s bears on no proof', (path) => {
  expect(bearsOnProof(path)).toBe(false);
});

it('leaves workflow files to people', () => {
  expect(['.github/workflows/ci.yml', '.github/actions/a/action.yml', 'workflows/a.yml'].map(isForPeople)).toEqual([
    true,
    false,
    false,
  ]);
});
