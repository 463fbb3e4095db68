import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addedPackages, isSameLock, registriesOf, strangePackages } from '../../src/jobs/workspace/npm-lock.ts';

const REGISTRY = 'https://registry.npmjs.org';
const SHA = 'sha512-abc==';
const entry = (name: string, version = '1.0.0') => ({
  version,
  resolved: `${REGISTRY}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
  integrity: SHA,
});
const lockOf = (packages: object) =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'shop' }, ...packages } });
const BASE = lockOf({ 'node_modules/known': entry('known') });

test('what is new is named once, wherever npm puts it', () => {
  const after = lockOf({
    'node_modules/known': entry('known'),
    'node_modules/@a/b': entry('@a/b', '2.0.0'),
    'node_modules/known/node_modules/@a/b': entry('@a/b', '2.0.0'),
    'node_modules/here': { resolved: 'packages/here', link: true },
    'packages/here': { version: '1.0.0' },
  });
  expect(addedPackages(BASE, after)).toEqual(['@a/b@2.0.0']);
  expect(strangePackages(BASE, after)).toEqual([]);
  expect(addedPackages('', BASE)).toEqual(['known@1.0.0']);
});

test('a package under another name is kept under its own', () => {
  const renamed = { 'node_modules/alias': { ...entry('known', '2.0.0'), name: 'known' } };
  expect(strangePackages(BASE, lockOf(renamed))).toEqual([]);
  const lying = { 'node_modules/alias': entry('known', '2.0.0') };
  expect(strangePackages(BASE, lockOf(lying))[0]).toMatch(/^`alias` 2\.0\.0 is to come from .*alias-2\.0\.0\.tgz/);
});

test.each([
  ['another name', `${REGISTRY}/other/-/other-1.0.0.tgz`],
  ['another version', `${REGISTRY}/added/-/added-2.0.0.tgz`],
  ['git', 'git+https://github.com/a/added.git#abc'],
  ['a folder', 'file:../added'],
  ['nowhere', ''],
  ['a query', `${REGISTRY}/evil/-/evil-1.0.0.tgz?/added/-/added-1.0.0.tgz`],
  ['a fragment', `${REGISTRY}/evil.tgz#/added/-/added-1.0.0.tgz`],
])('a new package from %s is strange', (_, resolved) => {
  const after = lockOf({ 'node_modules/added': { ...entry('added'), resolved } });
  expect(strangePackages(BASE, after)).toEqual([expect.stringContaining('is not where a registry keeps it')]);
});

test.each([undefined, '', 'sha1-abc', 'md5-abc'])('a new package with the digest %j is strange', (integrity) => {
  const after = lockOf({ 'node_modules/added': { ...entry('added'), integrity } });
  expect(strangePackages(BASE, after)).toEqual(['`added` 1.0.0 has no digest by SHA-2 that says what it is']);
});

test('a known package with another digest, or from elsewhere, is new', () => {
  const swapped = lockOf({ 'node_modules/known': { ...entry('known'), integrity: 'sha512-other' } });
  expect(addedPackages(BASE, swapped)).toEqual(['known@1.0.0']);
  const moved = lockOf({ 'node_modules/known': { ...entry('known'), resolved: 'https://evil.test/known.tgz' } });
  expect(strangePackages(BASE, moved)).toHaveLength(1);
});

test('whatever the text is, it is strange or a lock file, and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const strange = strangePackages(BASE, text);
      expect(strange.length === 0 || strange.every((clause) => clause.length > 0)).toBe(true);
      expect(isSameLock(BASE, text)).toBe(false);
      expect(registriesOf([text], [text])).toContain(`${REGISTRY}/`);
    }),
  );
});

test('two lock files are the same where places, versions and digests are, in whichever order', () => {
  const one = { 'node_modules/a': entry('a'), 'node_modules/b': entry('b') };
  const other = { 'node_modules/b': { ...entry('b'), dev: true }, 'node_modules/a': entry('a') };
  expect(isSameLock(lockOf(one), lockOf(other))).toBe(true);
  expect(isSameLock(lockOf(one), lockOf({ ...other, 'node_modules/a': entry('a', '1.0.1') }))).toBe(false);
  expect(isSameLock(lockOf(one), lockOf({ 'node_modules/a': entry('a') }))).toBe(false);
});

test("registries are those of the base: npm's own, what .npmrc names, and where its packages are from", () => {
  const settings =
    '; a comment\nregistry = https://npm.acme.test/all/\n@acme:registry=http://10.0.0.7:4873\n//npm.acme.test/:_authToken=secret\n';
  const lock = lockOf({ 'node_modules/x': { ...entry('x'), resolved: 'https://cdn.acme.test/x/-/x-1.0.0.tgz' } });
  expect(registriesOf([lock], [settings])).toEqual([
    `${REGISTRY}/`,
    'https://npm.acme.test/all/',
    'http://10.0.0.7:4873',
    'https://cdn.acme.test/x/-/x-1.0.0.tgz',
  ]);
});
