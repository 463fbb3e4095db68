import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const locked = z.object({
  version: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lock = z.object({ packages: z.record(z.string(), locked) });
type Packages = z.infer<typeof lock>['packages'];

const ROOT = join(import.meta.dirname, '..');
const EXACT = /^\d+\.\d+\.\d+[\w.+-]*$/;

/** Where Node would find a dependency of the package at `place`: in its own node_modules, or in one further up. */
function found(packages: Packages, place: string, name: string): z.infer<typeof locked> | undefined {
  const here = packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`];
  if (here !== undefined || place === '') return here;
  return found(packages, place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/'))), name);
}

/** Optional dependencies without an entry, or with one of another version than the exact one that is asked for. */
function gaps(packages: Packages): readonly string[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, wanted]) => {
        const entry = found(packages, place, name);
        return entry === undefined || (EXACT.test(wanted) && entry.version !== wanted);
      })
      .map(([name, wanted]) => `${name}@${wanted} of ${place || 'package.json'}`),
  );
}

test('the lock has an entry for every optional package of every platform, so that `npm ci` takes it', async () => {
  const { packages } = lock.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));
  expect(
    gaps(packages),
    'npm dropped these from package-lock.json, as it does where node_modules holds one platform only. Move node_modules away, run `npm install --package-lock-only`, and commit the lock.',
  ).toEqual([]);
});

test('a lock from which one platform was dropped, or kept at an old version, is not taken', () => {
  const bundler = { version: '2.0.0', optionalDependencies: { '@bundler/linux': '2.0.0', '@bundler/darwin': '2.0.0' } };
  expect(gaps({ 'node_modules/bundler': bundler, 'node_modules/@bundler/linux': { version: '1.9.0' } })).toEqual([
    '@bundler/linux@2.0.0 of node_modules/bundler',
    '@bundler/darwin@2.0.0 of node_modules/bundler',
  ]);
  expect(
    gaps({
      'node_modules/bundler': bundler,
      'node_modules/@bundler/linux': { version: '2.0.0' },
      'node_modules/bundler/node_modules/@bundler/darwin': { version: '2.0.0' },
    }),
  ).toEqual([]);
});
