import { glob, readFile } from 'node:fs/promises';
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

/** What no file imports because it is a command, a type or a program. */
const TOOLS = /^(?:@biomejs\/biome|@types\/.*|@stryker-mutator\/.*|node|typescript)$/;

test('every dependency is imported: by the program, and what only tests need by a test or a configuration', async () => {
  const { dependencies, devDependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  const missing = async (names: readonly string[], pattern: string[]): Promise<readonly string[]> => {
    const files = await Array.fromAsync(glob(pattern, { cwd: ROOT }));
    const texts = (await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))).join('\n');
    return names.filter(
      (name) => !new RegExp(`(?:from |import |import\\(|resolve\\(|require\\(|\\)\\()'${name}[/']`).test(texts),
    );
  };
  expect(await missing(Object.keys(dependencies), ['src/**/*.ts'])).toEqual([]);
  const development = Object.keys(devDependencies).filter((name) => !TOOLS.test(name));
  expect(await missing(development, ['src/**/*.ts', 'test/**/*.ts', '*.ts'])).toEqual([]);
});
