import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addedNames, alteredPackages } from '../../src/jobs/prove/altered-packages.ts';
import {
  addedPackages,
  forOthers,
  hasSamePackages,
  isSameLock,
  registriesOf,
  strangePackages as strangeIn,
} from '../../src/jobs/workspace/npm-lock.ts';
import { asksForPackages, strangeSpecs } from '../../src/jobs/workspace/npm-manifest.ts';

const REGISTRY = 'https://registry.npmjs.org';
const SHA = `sha512-${'a'.repeat(86)}==`;
const entry = (name: string, version = '1.0.0') => ({
  version,
  resolved: `${REGISTRY}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
  integrity: SHA,
});
const lockOf = (packages: object) =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'shop' }, ...packages } });
const strangePackages = (lock: string, after: string, registries = [`${REGISTRY}/`]) =>
  strangeIn({ lock, registries }, after);
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

test('what is only added alters nothing, and what is another, gone or given another to load is said', () => {
  const known = { 'node_modules/known': entry('known') };
  const alter = (packages: object) => alteredPackages(BASE, lockOf(packages));
  expect(alter({ ...known, 'node_modules/new': entry('new'), 'node_modules/new/node_modules/x': entry('x') })).toEqual(
    [],
  );
  expect(alter({ 'node_modules/known': entry('known', '2.0.0') })).toEqual(['`known` 1.0.0 becomes known 2.0.0']);
  expect(alter({ 'node_modules/known': { ...entry('evil'), name: 'evil' } })).toEqual([
    '`known` 1.0.0 becomes evil 1.0.0',
  ]);
  expect(alter({})).toEqual(['`known` 1.0.0 is gone']);
  expect(alter({ ...known, 'node_modules/known/node_modules/x': entry('x') })).toEqual([
    '`node_modules/known` is given x 1.0.0',
  ]);
  const old = '{"lockfileVersion":1,"dependencies":{}}';
  expect(alteredPackages(old, old)).toEqual([]);
  expect(alteredPackages(old, BASE)).toEqual([expect.stringContaining('cannot be told before the change')]);
  expect(alteredPackages(BASE, old)).toEqual([expect.stringContaining('cannot be told after the change')]);
  expect(alter({ ...known, 'packages/a/node_modules/x': entry('x') })).toEqual(['`packages/a` is given x 1.0.0']);
});

const known = { 'node_modules/known': entry('known') };

test('what decides whether and how npm installs an unchanged package alters it, and what is only told does not', () => {
  const alter = (more: object) =>
    alteredPackages(BASE, lockOf({ 'node_modules/known': { ...entry('known'), ...more } }));
  for (const [field, value] of Object.entries({
    ...{ optional: true, os: ['win32'], cpu: ['arm'], libc: ['musl'], link: true, inBundle: true },
    ...{ bin: { vitest: 'x.js' }, dependencies: { x: '1' }, hasShrinkwrap: true },
  }))
    expect(alter({ [field]: value })).toEqual([
      `\`known\` 1.0.0 is entered otherwise (${field}), by which npm installs it`,
    ]);
  const told = { dev: true, devOptional: true, peer: true, engines: { node: '<4' }, license: 'X', deprecated: 'yes' };
  expect(alter(told)).toEqual([]);
  const ordered = { dependencies: { a: '1', b: '2' } };
  const other = { dependencies: { b: '2', a: '1' } };
  const at = (more: object) => lockOf({ 'node_modules/known': { ...entry('known'), ...more } });
  expect(alteredPackages(at(ordered), at(other))).toEqual([]);
});

test('a link and what comes within a package are packages that there were', () => {
  const links = (to: string) => lockOf({ 'node_modules/here': { resolved: to, link: true } });
  expect(alteredPackages(links('packages/a'), links('packages/b'))).toEqual([
    '`here` is entered otherwise (resolved), by which npm installs it',
  ]);
  const within = { ...known, 'node_modules/known/node_modules/in': { version: '1.0.0', inBundle: true } };
  expect(alteredPackages(lockOf(within), BASE)).toEqual(['`in` 1.0.0 is gone']);
  const evil = { 'packages/a/node_modules/known': { resolved: 'packages/evil', link: true } };
  expect(alteredPackages(BASE, lockOf({ ...known, ...evil }))).toEqual(['`packages/a` is given known']);
});

test('what a package of the base loads where it is there is given to it', () => {
  const asking = (kind: string) => ({ 'node_modules/known': { ...entry('known'), [kind]: { extra: '*' } } });
  for (const kind of ['peerDependencies', 'optionalDependencies', 'dependencies']) {
    const extra = { 'node_modules/extra': entry('extra') };
    expect(alteredPackages(lockOf(asking(kind)), lockOf({ ...asking(kind), ...extra }))).toEqual([
      '`node_modules/known` is given extra 1.0.0',
    ]);
    const own = { ...asking(kind), 'node_modules/known/node_modules/extra': entry('extra', '2.0.0') };
    expect(alteredPackages(lockOf(own), lockOf({ ...own, ...extra }))).toEqual([]);
  }
});

test.each([
  'node_modules/new/../../lib/node_modules/known',
  'lib//node_modules/known',
  './node_modules/new',
  'node_modules/known/dist',
  'node_modules/@scope',
  'node_modules/new/',
])('nothing is installed at %j', (path) => {
  expect(alteredPackages(BASE, lockOf({ ...known, [path]: entry('new') }))).toEqual([
    `\`${path}\` is no place where npm installs`,
  ]);
});

test("what a lock file's folder newly finds is named as it is imported", () => {
  const after = lockOf({
    ...known,
    'node_modules/alias': { ...entry('other'), name: 'other' },
    'node_modules/alias/node_modules/inner': entry('inner'),
    'node_modules/@a/b': entry('@a/b'),
    'node_modules/here': { resolved: 'packages/here', link: true },
  });
  expect(addedNames(BASE, after)).toEqual(['alias', '@a/b', 'here']);
});

const name = fc.stringMatching(/^[a-z]{1,4}$/);
const condition = fc.record(
  {
    ...{ optional: fc.boolean(), os: fc.array(fc.constantFrom('linux', 'win32')), dev: fc.boolean() },
    ...{ bin: fc.dictionary(name, name), peer: fc.boolean(), engines: fc.dictionary(name, name) },
  },
  { requiredKeys: [] },
);
const packages = fc.dictionary(name, condition, { minKeys: 1, maxKeys: 5, noNullPrototype: true });
const laid = (some: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(some).map(([one, more]) => [`node_modules/${one}`, { ...entry(one), ...more }]));

test('an addition alters nothing, whatever is there, and each package left out or made conditional is said', () => {
  fc.assert(
    fc.property(packages, packages, fc.nat(), (before, added, at) => {
      const old = laid(before);
      expect(alteredPackages(lockOf(old), lockOf({ ...laid(added), ...old }))).toEqual([]);
      const path = Object.keys(old)[at % Object.keys(old).length] ?? '';
      const { [path]: _, ...rest } = old;
      expect(alteredPackages(lockOf(old), lockOf({ ...laid(added), ...rest, [path]: undefined }))).toHaveLength(1);
      const conditional = { ...old, [path]: { ...old[path], optional: true, os: ['none'] } };
      expect(alteredPackages(lockOf(old), lockOf(conditional))).toHaveLength(1);
      expect(isSameLock(lockOf(old), lockOf(conditional))).toBe(false);
      expect(isSameLock(lockOf(conditional), lockOf(old))).toBe(false);
      expect(hasSamePackages(lockOf(old), lockOf(conditional))).toBe(true);
    }),
  );
});

test('a known package that is said to be for other machines is strange, either way', () => {
  for (const field of ['os', 'cpu']) {
    const other = lockOf({ 'node_modules/known': { ...entry('known'), optional: true, [field]: ['none'] } });
    const clause = ['`known` 1.0.0 is said to be for other machines than on the base'];
    expect([strangePackages(BASE, other), strangePackages(other, BASE)]).toEqual([clause, clause]);
  }
});

test('a manifest asks for packages by any kind of dependency', () => {
  expect([manifestOf({}), '{', '{"type":"module"}'].map(asksForPackages)).toEqual([false, false, false]);
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])
    expect(asksForPackages(JSON.stringify({ [kind]: { x: '1' } }))).toBe(true);
});

test('a package under another name is kept under its own', () => {
  const renamed = { 'node_modules/alias': { ...entry('known', '2.0.0'), name: 'known' } };
  expect(strangePackages(BASE, lockOf(renamed))).toEqual([]);
  const lying = { 'node_modules/alias': entry('known', '2.0.0') };
  expect(strangePackages(BASE, lockOf(lying))[0]).toMatch(
    /^`alias` 2\.0\.0 is to come from .* not where a registry keeps it/,
  );
});

test.each([
  ['another name', `${REGISTRY}/other/-/other-1.0.0.tgz`],
  ['another version', `${REGISTRY}/added/-/added-2.0.0.tgz`],
  ['git', 'git+https://github.com/a/added.git#abc'],
  ['a folder', 'file:../added'],
  ['git that looks like a registry', 'git+https://registry.npmjs.org/added/-/added-1.0.0.tgz#abc'],
  ['a file that looks like one', 'file:vendor/added/-/added-1.0.0.tgz'],
  ['an address with a password', 'https://a:b@registry.npmjs.org/added/-/added-1.0.0.tgz'],
  ['an escaped query', `${REGISTRY}/evil/-/evil-1.0.0.tgz%3F/added/-/%zz`],
  ['a query', `${REGISTRY}/evil/-/evil-1.0.0.tgz?/added/-/added-1.0.0.tgz`],
  ['a fragment', `${REGISTRY}/evil.tgz#/added/-/added-1.0.0.tgz`],
])('a new package from %s is strange', (_, resolved) => {
  const after = lockOf({ 'node_modules/added': { ...entry('added'), resolved } });
  expect(strangePackages(BASE, after)).toEqual([expect.stringContaining('is not where a registry keeps it')]);
});

test.each([
  'https://github.com/evil/r/raw/main/added/-/added-1.0.0.tgz',
  'https://registry.npmjs.org/evil/added/-/added-1.0.0.tgz',
  'http://registry.npmjs.org/added/-/added-1.0.0.tgz',
])('a new package from %s is of a registry that the base does not know', (resolved) => {
  const after = lockOf({ 'node_modules/added': { ...entry('added'), resolved } });
  expect(strangePackages(BASE, after)).toEqual([expect.stringContaining(`and the base knows ${REGISTRY}/;`)]);
});

test('where its address is left out, npm asks its registry', () => {
  const { resolved: _, ...unresolved } = entry('added');
  expect(strangePackages(BASE, lockOf({ 'node_modules/added': unresolved }))).toEqual([]);
});

test('a scope is written twice, or escaped, by some registries', () => {
  const own = ['https://npm.acme.test/all/'];
  for (const file of ['@a/b/-/@a/b-1.0.0.tgz', '@a%2fb/-/b-1.0.0.tgz']) {
    const after = lockOf({ 'node_modules/@a/b': { ...entry('@a/b'), resolved: `${own[0]}${file}` } });
    expect(strangePackages(BASE, after, own)).toEqual([]);
  }
});

test('what is for other machines has no address and no digest, as npm leaves it, and is named to be looked for', () => {
  const others = { version: '1.0.0', optional: true, os: ['darwin'] };
  expect(strangePackages(BASE, lockOf({ 'node_modules/x': others }))).toEqual([]);
  expect(forOthers(BASE, lockOf({ 'node_modules/x': others, 'node_modules/y': entry('y') }))).toEqual([
    'node_modules/x',
  ]);
  expect(forOthers(lockOf({ 'node_modules/x': others }), lockOf({ 'node_modules/x': others }))).toEqual([]);
  for (const less of [{ os: undefined }, { optional: undefined }, { resolved: `${REGISTRY}/x/-/x-1.0.0.tgz` }])
    expect(strangePackages(BASE, lockOf({ 'node_modules/x': { ...others, ...less } }))).toHaveLength(1);
});

test('what comes within another package has no address of its own, and only there', () => {
  const bundled = { version: '1.0.0', inBundle: true };
  const within = { 'node_modules/added': entry('added'), 'node_modules/added/node_modules/inner': bundled };
  expect(strangePackages(BASE, lockOf(within))).toEqual([]);
  expect(strangePackages(BASE, lockOf({ 'node_modules/inner': bundled }))).toHaveLength(1);
  const lying = { ...bundled, resolved: 'https://evil.test/inner/-/inner-1.0.0.tgz' };
  expect(strangePackages(BASE, lockOf({ ...within, 'node_modules/added/node_modules/inner': lying }))).toHaveLength(1);
});

test.each([
  undefined,
  '',
  'sha1-abc',
  'md5-abc',
  'sha512-????',
  'sha512-',
  `sha512- sha1-${'a'.repeat(27)}=`,
  `${SHA} sha1-${'a'.repeat(27)}=`,
  `${SHA}?x`,
])('a new package with the digest %j is strange', (integrity) => {
  const after = lockOf({ 'node_modules/added': { ...entry('added'), integrity } });
  expect(strangePackages(BASE, after)).toEqual(['`added` 1.0.0 has no digest by SHA-2 that says what it is']);
});

test('a known package with another digest, or from elsewhere, is new', () => {
  const swapped = lockOf({ 'node_modules/known': { ...entry('known'), integrity: SHA.replaceAll('a', 'b') } });
  expect(addedPackages(BASE, swapped)).toEqual(['known@1.0.0']);
  const moved = lockOf({
    'node_modules/known': { ...entry('known'), resolved: 'https://evil.test/known/-/known-1.0.0.tgz' },
  });
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
    'http://10.0.0.7:4873/',
    'https://cdn.acme.test/',
  ]);
});

const manifestOf = (dependencies: object, more: object = {}) => JSON.stringify({ name: 'shop', dependencies, ...more });

test.each([
  '^1.0.0',
  '1.x || >=2.5.0 <3',
  '*',
  'latest',
  '~1.2',
  'npm:other@^2.0.0',
  'npm:@a/b@1.0.0',
  '1.0.0 - 2.0.0',
  '',
])('a manifest may ask for %j', (spec) => {
  expect(strangeSpecs('', manifestOf({ x: spec }))).toEqual([]);
});

test.each([
  'file:../x',
  'link:../x',
  'git+https://h/x.git',
  'git@h:x.git',
  'user/repo',
  'github:user/repo',
  'https://h/x.tgz',
  './x',
  '../x',
  '/etc',
  'npm:x@https://h/x.tgz',
  'C:\\x',
])('a manifest may not newly ask for %j, anywhere', (spec) => {
  const sentence = [`it asks for \`x ${spec}\`, which no registry keeps`];
  expect(strangeSpecs('', manifestOf({ x: spec }))).toEqual(sentence);
  expect(strangeSpecs('', manifestOf({}, { optionalDependencies: { x: spec } }))).toEqual(sentence);
  expect(strangeSpecs('', manifestOf({}, { overrides: { a: { b: { x: spec } } } }))).toEqual(sentence);
  expect(strangeSpecs(manifestOf({ x: spec }), manifestOf({ x: spec, y: '1' }))).toEqual([]);
});
